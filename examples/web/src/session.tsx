import { useQueryClient } from '@tanstack/react-query';
import { InMemoryWebStorage, WebStorageStateStore } from 'oidc-client-ts';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { AuthProvider, type AuthProviderProps, hasAuthParams, useAuth } from 'react-oidc-context';
import { createCaller } from './api/client.ts';
import { CallerContext } from './api/context.ts';
import type { PageConfig } from './config.ts';
import { closePdfs } from './dashboard/open-pdfs.ts';
import { Button } from './ui/button.tsx';

/** Set while a member is signed in on this tab, so that a reload asks the provider again. Holds no token. */
const signedInHint = 'portico:signed-in';
const returnTo = 'portico:return-to';
const signOutPath = '/sign-out';

/** Authorization code with PKCE (RFC 7636). Tokens live in memory; what survives a redirect is the code's verifier. */
const oidcSettings = ({ issuer, clientId }: PageConfig): AuthProviderProps => ({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${window.location.origin}/`,
  post_logout_redirect_uri: `${window.location.origin}/`,
  scope: 'openid profile email',
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
  automaticSilentRenew: false,
  // A provider that hangs must not keep a member from signing out.
  requestTimeoutInSeconds: 10,
  onSigninCallback: () => {
    window.sessionStorage.setItem(signedInHint, 'yes');
    leaveCallbackUrl();
    window.sessionStorage.removeItem(returnTo);
  },
});

/** Replaces a URL whose `code` and `state` are used up, by the one where the sign-in began. */
const leaveCallbackUrl = (): void =>
  window.history.replaceState({}, '', window.sessionStorage.getItem(returnTo) ?? '/');

/** Keeps the current path for after the sign-in. A callback URL keeps the path that was stored before. */
const rememberPath = (): void => {
  const { pathname, search } = window.location;
  if (!hasAuthParams()) window.sessionStorage.setItem(returnTo, pathname === signOutPath ? '/' : pathname + search);
};

export const Session = ({ config, children }: { readonly config: PageConfig; readonly children: ReactNode }) => {
  const settings = useMemo(() => oidcSettings(config), [config]);
  return (
    <AuthProvider {...settings}>
      <SignedIn apiUrl={config.apiUrl ?? ''}>{children}</SignedIn>
    </AuthProvider>
  );
};

/** Shows the pages to a member who is signed in, and a sign-in button to everyone else. */
const SignedIn = ({ apiUrl, children }: { readonly apiUrl: string; readonly children: ReactNode }) => {
  const auth = useAuth();
  const token = auth.user?.access_token;
  const signIn = useSignIn();
  const caller = useMemo(() => createCaller(apiUrl, token, signIn), [apiUrl, token, signIn]);
  useSignOutElsewhere();

  useEffect(() => {
    if (auth.error && hasAuthParams()) leaveCallbackUrl();
  }, [auth.error]);

  const wasSignedIn = window.sessionStorage.getItem(signedInHint) === 'yes';
  const isIdle = !auth.isLoading && !auth.activeNavigator && !auth.isAuthenticated && !auth.error;
  useEffect(() => {
    if (isIdle && wasSignedIn) signIn();
  }, [isIdle, wasSignedIn, signIn]);

  if (auth.isAuthenticated) return <CallerContext value={caller}>{children}</CallerContext>;
  if (!auth.error && (!isIdle || wasSignedIn)) return <p className="notice">Signing in …</p>;
  return (
    <main className="sign-in">
      <h1>Member portal</h1>
      <p>Your coverage, claims and documents, and how we keep in touch.</p>
      {auth.error ? (
        <p role="alert" className="error">
          Signing in did not work. Please try again.
        </p>
      ) : null}
      <Button onClick={signIn}>Sign in</Button>
    </main>
  );
};

/** Redirects to the provider, once however many requests are refused at the same time. */
const useSignIn = (): (() => void) => {
  const { signinRedirect } = useAuth();
  const isUnderWay = useRef(false);
  return useCallback(() => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    rememberPath();
    void signinRedirect().finally(() => {
      isUnderWay.current = false;
    });
  }, [signinRedirect]);
};

/** Tells the other tabs of this browser that the member signed out. */
const signOuts = new BroadcastChannel('portico:signed-out');

/** Ends the session here and at the provider, and in every other tab. */
export const useSignOut = (): (() => void) => {
  const { signoutRedirect, revokeTokens } = useAuth();
  const queries = useQueryClient();
  return useCallback(() => {
    const signOut = async () => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is same-origin and takes none
      signOuts.postMessage('signed out');
      forgetMember();
      queries.clear();
      // One by one: a provider may have no revocation (RFC 7009), or none for its JWT access tokens.
      for (const type of ['refresh_token', 'access_token'] as const) await revokeTokens([type]).catch(() => {});
      await signoutRedirect();
    };
    void signOut();
  }, [signoutRedirect, revokeTokens, queries]);
};

const useSignOutElsewhere = (): void => {
  const { removeUser } = useAuth();
  const queries = useQueryClient();
  useEffect(() => {
    const end = () => {
      forgetMember();
      void removeUser().then(() => queries.clear());
    };
    signOuts.addEventListener('message', end);
    return () => signOuts.removeEventListener('message', end);
  }, [removeUser, queries]);
};

/** Removes what outlives the pages of a member on this tab. */
const forgetMember = (): void => {
  for (const key of Object.keys(window.sessionStorage))
    if (key.startsWith('portico:')) window.sessionStorage.removeItem(key);
  closePdfs();
};
