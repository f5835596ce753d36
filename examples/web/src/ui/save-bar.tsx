import type { UseMutationResult } from '@tanstack/react-query';
import { CallFailed } from '../api/client.ts';
import { Button } from './button.tsx';
import { wordsFor } from './words-for.ts';

interface SaveBarProps {
  readonly save: Pick<UseMutationResult, 'isPending' | 'isSuccess' | 'isError' | 'error'>;
  readonly isDirty: boolean;
  readonly label: string;
  /** The way back, while there is one. */
  readonly discard?: { readonly label: string; readonly onClick: () => void };
}

/** The explicit save of a form, and its outcome. */
export const SaveBar = ({ save, isDirty, label, discard }: SaveBarProps) => (
  <div className="actions">
    {/* Not `disabled`, which would take the focus away; the form does not submit what is not changed. */}
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
  if (!(error instanceof CallFailed && error.failure.kind === 'precondition-failed')) return wordsFor(error);
  return isDirty
    ? 'This was changed elsewhere in the meantime. You see the newest values, with your changes on top: check them and save again.'
    : 'This was changed elsewhere in the meantime. You see the newest values.';
};
