import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useBlocker } from 'react-router';
import { areDraftsStored, dropRestoredDraft, reportUnsaved } from '../session/drafts.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { useTexts } from '../texts/texts.tsx';
import type { Edits } from './edits.ts';

interface UnsavedChanges {
  mark(id: string, isDirty: boolean): void;
}

const UnsavedChangesContext = createContext<UnsavedChanges | undefined>(undefined);

interface UnsavedChangesGuardProps {
  /** The path that opens when the changes have been sent. */
  readonly except?: string;
  readonly children: ReactNode;
}

/** Asks for confirmation before a page with unsaved changes is left. */
export const UnsavedChangesGuard = ({ except, children }: UnsavedChangesGuardProps) => {
  const [dirty, setDirty] = useState<ReadonlySet<string>>(new Set());
  const isDirty = dirty.size > 0;
  const blocker = useBlocker(
    ({ currentLocation, nextLocation: { pathname } }) =>
      isDirty && currentLocation.pathname !== pathname && pathname !== except,
  );
  const { unsaved } = useTexts().form;
  const changes = useMemo<UnsavedChanges>(
    () => ({
      mark: (id, isDirty) =>
        setDirty((before) => {
          if (before.has(id) === isDirty) return before;
          const after = new Set(before);
          if (isDirty) after.add(id);
          else after.delete(id);
          return after;
        }),
    }),
    [],
  );

  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => {
      if (!areDraftsStored()) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

  // A pending save has succeeded: nothing is lost.
  useEffect(() => {
    if (blocker.state === 'blocked' && !isDirty) blocker.proceed();
  }, [blocker, isDirty]);

  return (
    <UnsavedChangesContext value={changes}>
      {children}
      <Dialog
        isOpen={blocker.state === 'blocked'}
        title={unsaved.title}
        onCancel={() => blocker.reset?.()}
        actions={
          <>
            <Button onClick={() => blocker.reset?.()}>{unsaved.stay}</Button>
            <Button look="quiet" onClick={() => blocker.proceed?.()}>
              {unsaved.leave}
            </Button>
          </>
        }
      >
        <p>{unsaved.body}</p>
      </Dialog>
    </UnsavedChangesContext>
  );
};

/**
 * Reports the unsaved edits of a form, if any, to the guard and to the session. In layout effects, which run together with the
 * change: on a busy device, the member may leave before an ordinary effect has run.
 */
export const useUnsaved = (key: string, edits: Edits<unknown> | undefined): void => {
  const changes = use(UnsavedChangesContext);
  const isDirty = edits !== undefined;
  useLayoutEffect(() => {
    changes?.mark(key, isDirty);
    return () => changes?.mark(key, false);
  }, [changes, key, isDirty]);
  useLayoutEffect(() => {
    dropRestoredDraft(key);
    reportUnsaved(key, edits);
    return () => reportUnsaved(key, undefined);
  }, [key, edits]);
};
