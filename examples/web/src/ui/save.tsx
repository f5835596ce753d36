import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api/context.ts';
import { Problem } from '../api/problem.ts';
import { Button } from './button.tsx';
import { wordsFor } from './card.tsx';

/** Sends a resource's new state, and takes what the server answers for the truth. */
export const useSave = <T,>(method: 'PUT' | 'PATCH', path: string): UseMutationResult<T> => {
  const api = useApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: unknown) => api.send<T>(method, path, body),
    onSuccess: (saved) => client.setQueryData([path], saved),
  });
};

interface SaveBarProps {
  readonly save: UseMutationResult;
  readonly isDirty: boolean;
  readonly label: string;
  /** The way back, while there is one. */
  readonly discard?: { readonly label: string; readonly onClick: () => void };
}

/** The explicit save of a form, and what became of it. */
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
        Not saved.{' '}
        {save.error instanceof Problem && save.error.status === 400 ? save.error.message : wordsFor(save.error)}
      </span>
    ) : null}
  </div>
);
