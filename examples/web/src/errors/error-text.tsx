import { CallFailed } from '../api/client.ts';
import { useTexts } from '../texts/texts.tsx';
import { errorMessage } from './error-message.ts';

/** What went wrong, what to do, and the reference of the failed request (GOV.UK Design System, "There is a problem"). */
export const ErrorText = ({ error }: { readonly error: unknown }) => {
  const { errors } = useTexts();
  return (
    <>
      {errorMessage(error, errors)} <Reference id={error instanceof CallFailed ? error.reference : undefined} />
    </>
  );
};

/** The request id, by which the operator finds the request in the log, and when to give it. */
export const Reference = ({ id }: { readonly id: string | undefined }) => {
  const { errors } = useTexts();
  return id === undefined ? null : (
    <span className="fine what-to-do">
      {errors.whatToDo}{' '}
      <span className="reference">
        {errors.reference} <span className="mono">{id}</span>
      </span>
    </span>
  );
};
