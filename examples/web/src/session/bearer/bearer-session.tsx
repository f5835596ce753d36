import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { AuthProvider, hasAuthParams, useAuth } from 'react-oidc-context';
import { type Caller, createCaller } from '../../api/client.ts';
import { CallerContext } from '../../api/context.ts';
import { useConfig } from '../../config.ts';
import { useTexts } from '../../texts/texts.tsx';
import { hasUnsaved, leavesForSignIn, storeDrafts } from '../drafts.ts';
import { RefusedPage } from '../refused-page.tsx';
import { SessionContext } from '../session-state.ts';
import { SigningIn, SignInPage } from '../sign-in-page.tsx';
import { useSignOut, useSignOutElsewhere } from './bearer-sign-out.ts';
import { oidcSettings, rememberPath, replaceCallbackUrl, signedInHint } from './oidc-settings.ts';

/** A session whose tokens are in the memory of the page. */
export const BearerSession = ({ children }: { readonly children: ReactNode }) => {
  const config = useConfig();
  const settings = useMemo(() => oidcSettings(config), [config]);
  return (
    <AuthProvider {...settings}>
      <SignedIn apiUrl={config.apiUrl ?? ''}>{children}</SignedIn>
    </AuthProvider>
  );
};

/** Shows the pages to a signed-in member, and a sign-in button to others. */
const SignedIn = ({ apiUrl, children }: { readonly apiUrl: string; readonly children: ReactNode }) => {
  const auth = useAuth();
  const signIn = useSignIn();
  const { caller, refusal } = useCallerOf(apiUrl, auth.user?.access_token, signIn);
  const hasEnded = refusal?.kind === 'ended';
  const signOut = useSignOut();
  const { session: texts } = useTexts();
  const { name, sub } = auth.user?.profile ?? {};
  const session = useMemo(
    () => ({ name, userId: sub ?? 'member', hasEnded, signIn, signOut }),
    [name, sub, hasEnded, signIn, signOut],
  );
  useSignOutElsewhere();

  useEffect(() => {
    if (auth.error && hasAuthParams()) replaceCallbackUrl();
  }, [auth.error]);

  // A token that had expired when it was issued remains as `user`: another sign-in would get such a token again.
  const wasSignedIn = !auth.user && window.sessionStorage.getItem(signedInHint) === 'yes';
  const isIdle = !auth.isLoading && !auth.activeNavigator && !auth.isAuthenticated && !auth.error;
  useEffect(() => {
    if (isIdle && wasSignedIn) signIn();
  }, [isIdle, wasSignedIn, signIn]);

  if (auth.isAuthenticated && refusal?.kind === 'not-accepted')
    return <RefusedPage reference={refusal.reference} signOut={signOut} />;
  if (auth.isAuthenticated)
    return (
      <SessionContext value={session}>
        <CallerContext value={caller}>{children}</CallerContext>
      </SessionContext>
    );
  if (!auth.error && (!isIdle || wasSignedIn)) return <SigningIn />;
  // A provider without an `end_session_endpoint` does not end its session.
  const failure = auth.error?.source === 'signoutRedirect' ? texts.signOutIncomplete : texts.signInErrors.failed;
  return <SignInPage signIn={signIn} notice={auth.error ? failure : undefined} />;
};

/** A token that the server refuses sooner than this after sign-in did not expire: the next one would be refused as well. */
const freshMs = 30_000;

type Refusal = { readonly kind: 'ended' } | { readonly kind: 'not-accepted'; readonly reference: string | undefined };

/** Calls with the member's token, and how it was refused. */
const useCallerOf = (apiUrl: string, token: string | undefined, signIn: () => void) => {
  const [refused, setRefused] = useState<{ readonly token: string | undefined; readonly refusal: Refusal }>();
  const caller = useMemo(
    () => callerOf(apiUrl, token, signIn, (refusal) => setRefused({ token, refusal })),
    [apiUrl, token, signIn],
  );
  return { caller, refusal: refused?.token === token ? refused?.refusal : undefined };
};

/**
 * Calls with a token that was just issued. If the server refuses it later, the browser signs in again at the provider: at
 * most once per refused token, and not while a form has unsaved changes.
 */
const callerOf = (
  apiUrl: string,
  token: string | undefined,
  signIn: () => void,
  onRefusal: (refusal: Refusal) => void,
): Caller => {
  const signedInAt = Date.now();
  return createCaller(apiUrl, { token }, ({ reference }) => {
    if (hasUnsaved()) onRefusal({ kind: 'ended' });
    else if (Date.now() - signedInAt < freshMs) onRefusal({ kind: 'not-accepted', reference });
    else signIn();
  });
};

/** Redirects to the provider, once for any number of requests that are refused at the same time. */
const useSignIn = (): (() => void) => {
  const { signinRedirect, user } = useAuth();
  const member = user?.profile.sub;
  const isUnderWay = useRef(false);
  return useCallback(() => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    rememberPath();
    if (member !== undefined) storeDrafts(member);
    void signinRedirect().finally(() => {
      isUnderWay.current = false;
      // If the redirect did not happen, the next time the page is left is not for this sign-in.
      leavesForSignIn();
    });
  }, [signinRedirect, member]);
};
