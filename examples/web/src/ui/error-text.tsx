import { CallFailed } from '../api/client.ts';
import { errorMessage } from './error-message.ts';

/** What went wrong, with the reference of the failed request. */
export const ErrorText = ({ error }: { readonly error: unknown }) => (
  <>
    {errorMessage(error)} <Reference id={error instanceof CallFailed ? error.reference : undefined} />
  </>
);

/** The request id, by which the operator finds the request in the log. */
export const Reference = ({ id }: { readonly id: string | undefined }) =>
  id === undefined ? null : (
    <span className="fine">
      Reference <span className="mono">{id}</span>
    </span>
  );
