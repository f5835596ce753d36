import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { CallerContext } from '../../api/context.ts';
import { Button } from '../../design/button.tsx';
import type { Texts } from '../../texts/en.ts';
import { useTexts } from '../../texts/texts.tsx';
import { ProblemPage } from '../problem-page.tsx';
import { RefusedPage } from '../refused-page.tsx';
import { SessionContext } from '../session-state.ts';
import { SigningIn, SignInPage } from '../sign-in-page.tsx';
import { type CookieSessionState, createSessionStore } from './session-store.ts';

/**
 * Not part of the first page: the end of a session is minutes away. If its script does not arrive, the next refused request
 * ends the session.
 */
const ExpiryDialog = lazy(() =>
  import('./expiry-dialog.tsx').then(
    ({ ExpiryDialog }) => ({ default: ExpiryDialog }),
    () => ({ default: () => <></> }),
  ),
);

/** A session in a cookie that scripts cannot read: the pages have no token. */
export const CookieSession = ({ children }: { readonly children: ReactNode }) => {
  const queries = useQueryClient();
  const [store] = useState(() => createSessionStore(() => queries.clear()));
  const state = useSyncExternalStore(store.subscribe, store.state);
  const { check, extend, caller, signIn, signOut } = store;
  useChecks(check);
  const { session: texts } = useTexts();
  const isSignedIn = state.kind === 'signed-in';
  const name = isSignedIn ? state.status.name : undefined;
  const hasEnded = isSignedIn && state.hasEnded;
  const session = useMemo(
    () => ({ name, userId: 'member', hasEnded, signIn, signOut }),
    [name, hasEnded, signIn, signOut],
  );
  switch (state.kind) {
    case 'checking':
      return <SigningIn />;
    case 'unknown':
      return <UnknownSession check={check} />;
    case 'signed-out':
      return <SignInPage signIn={signIn} notice={noticeOf(state, texts)} />;
    case 'not-accepted':
      return <RefusedPage reference={state.reference} signOut={signOut} />;
    case 'signed-in':
      return (
        <SessionContext value={session}>
          <CallerContext value={caller()}>{children}</CallerContext>
          {hasEnded ? null : (
            <Suspense>
              <ExpiryDialog endsAt={state.status.endsAt} check={check} extend={extend} />
            </Suspense>
          )}
        </SessionContext>
      );
  }
};

/** Reads the session at the start, and when the tab is shown again. */
const useChecks = (check: () => Promise<unknown>) => {
  useEffect(() => {
    void check();
    const onShown = () => {
      if (document.visibilityState === 'visible') void check();
    };
    document.addEventListener('visibilitychange', onShown);
    return () => document.removeEventListener('visibilitychange', onShown);
  }, [check]);
};

const noticeOf = (
  { reason }: Extract<CookieSessionState, { readonly kind: 'signed-out' }>,
  texts: Texts['session'],
): string | undefined => {
  if (reason === undefined) return undefined;
  if (typeof reason === 'object') return texts.signInErrors[reason.signInError];
  return reason === 'ended' ? texts.ended : texts.signOutIncomplete;
};

const UnknownSession = ({ check }: { readonly check: () => Promise<unknown> }) => {
  const { session, errors } = useTexts();
  return (
    <ProblemPage action={<Button onClick={() => void check()}>{errors.tryAgain}</Button>}>
      <p>
        {session.unavailable} {errors.unreachable}
      </p>
    </ProblemPage>
  );
};
