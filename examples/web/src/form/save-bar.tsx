import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { CallFailed } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ErrorText } from '../errors/error-text.tsx';
import { useSession } from '../session/session-state.ts';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/texts.tsx';

interface SaveBarProps {
  readonly save: Pick<UseMutationResult, 'isPending' | 'isSuccess' | 'isError' | 'error'>;
  readonly isDirty: boolean;
  readonly label: string;
  /** Discards the edits, if possible. */
  readonly discard?: { readonly label: string; readonly onClick: () => void };
}

/** The save button of a form, and the outcome of the last save. */
export const SaveBar = ({ save, isDirty, label, discard }: SaveBarProps) => {
  const { form } = useTexts();
  const element = useRef<HTMLDivElement>(null);
  const onDiscard = () => {
    // The button may disappear.
    element.current?.querySelector('button')?.focus();
    discard?.onClick();
  };
  return (
    <div className="actions" ref={element}>
      {/* Not `disabled`, which would lose the focus; the form does not submit without changes. */}
      <Button type="submit" aria-disabled={!isDirty || save.isPending}>
        {save.isPending ? form.saving : label}
      </Button>
      {discard ? (
        <Button look="quiet" aria-disabled={save.isPending} onClick={save.isPending ? undefined : onDiscard}>
          {discard.label}
        </Button>
      ) : null}
      <output>{save.isSuccess && !isDirty ? form.saved : ''}</output>
      <SaveFailure save={save} isDirty={isDirty} />
    </div>
  );
};

const SaveFailure = ({ save, isDirty }: Pick<SaveBarProps, 'save' | 'isDirty'>) => {
  const { hasEnded, signIn } = useSession();
  const { form, session } = useTexts();
  if (hasEnded && isDirty)
    return (
      <>
        <span role="alert" className="error">
          {form.endedDuringSave}
        </span>
        <Button look="quiet" onClick={signIn}>
          {session.signInAgain}
        </Button>
      </>
    );
  if (!save.isError) return null;
  return (
    <span role="alert" className="error">
      {form.notSaved} {reasonOf(save.error, isDirty, form)}
    </span>
  );
};

const reasonOf = (error: unknown, isDirty: boolean, texts: Texts['form']): ReactNode => {
  if (!(error instanceof CallFailed && error.failure.kind === 'precondition-failed'))
    return <ErrorText error={error} />;
  return isDirty ? texts.changedElsewhereWithEdits : texts.changedElsewhere;
};
