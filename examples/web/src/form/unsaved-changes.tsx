import { type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useBlocker } from 'react-router';
import {
  discardStoredEdits,
  hasUnsaved,
  leavesForSignIn,
  onUnsaved,
  reportUnsaved,
  updateStoredDraft,
} from '../session/drafts.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { useTexts } from '../texts/texts.tsx';
import type { Edits } from './edits.ts';

interface UnsavedChangesGuardProps {
  /** The path that opens when the changes have been sent. */
  readonly except?: string;
  readonly children: ReactNode;
}

/** Asks for confirmation before a page with unsaved changes is left. */
export const UnsavedChangesGuard = ({ except, children }: UnsavedChangesGuardProps) => {
  const isDirty = useSyncExternalStore(onUnsaved, hasUnsaved);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation: { pathname } }) =>
      isDirty && currentLocation.pathname !== pathname && pathname !== except,
  );
  const { unsaved } = useTexts().form;

  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => {
      if (!leavesForSignIn()) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

  // A pending save has succeeded: nothing is lost.
  useEffect(() => {
    if (blocker.state === 'blocked' && !isDirty) blocker.proceed();
  }, [blocker, isDirty]);

  return (
    <>
      {children}
      <Dialog
        isOpen={blocker.state === 'blocked'}
        title={unsaved.title}
        onCancel={() => blocker.reset?.()}
        actions={
          <>
            <Button onClick={() => blocker.reset?.()}>{unsaved.stay}</Button>
            <Button
              look="quiet"
              onClick={() => {
                discardStoredEdits();
                blocker.proceed?.();
              }}
            >
              {unsaved.leave}
            </Button>
          </>
        }
      >
        <p>{unsaved.body}</p>
      </Dialog>
    </>
  );
};

/**
 * Reports the unsaved edits of a form, if any. In a layout effect, which runs together with the change: on a busy device, the
 * member may leave before an ordinary effect has run.
 */
export const useUnsaved = (key: string, edits: Edits<unknown> | undefined): void => {
  const isShown = useRef(false);
  useLayoutEffect(() => {
    updateStoredDraft(key, isShown.current ? edits : undefined);
    isShown.current = true;
    reportUnsaved(key, edits);
    return () => reportUnsaved(key, undefined);
  }, [key, edits]);
};
