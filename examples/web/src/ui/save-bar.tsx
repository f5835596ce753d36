import type { UseMutationResult } from '@tanstack/react-query';
import { CallFailed } from '../api/client.ts';
import { Button } from './button.tsx';
import { errorMessage } from './error-message.ts';

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
    {save.isError ? (
      <span role="alert" className="error">
        Not saved. {reasonOf(save.error, isDirty)}
      </span>
    ) : null}
  </div>
);

const reasonOf = (error: unknown, isDirty: boolean): string => {
  if (!(error instanceof CallFailed && error.failure.kind === 'precondition-failed')) return errorMessage(error);
  return isDirty
    ? 'This was changed elsewhere in the meantime. The newest values are shown with your changes. Check them and save again.'
    : 'This was changed elsewhere in the meantime. The newest values are shown.';
};
