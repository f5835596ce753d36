import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, use } from 'react';
import { CallFailed } from '../api/client.ts';
import { SessionContext } from '../session/session-state.ts';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-text.tsx';

interface SaveBarProps {
  readonly save: Pick<UseMutationResult, 'isPending' | 'isSuccess' | 'isError' | 'error'>;
  readonly isDirty: boolean;
  readonly label: string;
  /** Discards the edits, if possible. */
  readonly discard?: { readonly label: string; readonly onClick: () => void };
}

/** The save button of a form, and the outcome of the last save. */
export const SaveBar = ({ save, isDirty, label, discard }: SaveBarProps) => (
  <div className="actions">
    {/* Not `disabled`, which would lose the focus; the form does not submit without changes. */}
    <Button type="submit" aria-disabled={!isDirty || save.isPending}>
      {save.isPending ? 'Saving …' : label}
    </Button>
    {discard ? (
      <Button look="quiet" disabled={save.isPending} onClick={discard.onClick}>
        {discard.label}
      </Button>
    ) : null}
    <output>{save.isSuccess && !isDirty ? 'Saved.' : ''}</output>
    <SaveFailure save={save} isDirty={isDirty} />
  </div>
);

const SaveFailure = ({ save, isDirty }: Pick<SaveBarProps, 'save' | 'isDirty'>) => {
  const { hasEnded, signIn } = use(SessionContext);
  if (hasEnded && isDirty)
    return (
      <>
        <span role="alert" className="error">
          Your session has ended. Sign in again to save.
        </span>
        <Button look="quiet" onClick={signIn}>
          Sign in again
        </Button>
      </>
    );
  if (!save.isError) return null;
  return (
    <span role="alert" className="error">
      Not saved. {reasonOf(save.error, isDirty)}
    </span>
  );
};

const reasonOf = (error: unknown, isDirty: boolean): ReactNode => {
  if (!(error instanceof CallFailed && error.failure.kind === 'precondition-failed'))
    return <ErrorText error={error} />;
  return isDirty
    ? 'This was changed elsewhere in the meantime. The newest values are shown with your changes. Check them and save again.'
    : 'This was changed elsewhere in the meantime. The newest values are shown.';
};
