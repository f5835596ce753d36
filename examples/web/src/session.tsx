import { useQueryClient } from '@tanstack/react-query';
import { InMemoryWebStorage, WebStorageStateStore } from 'oidc-client-ts';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { AuthProvider, type AuthProviderProps, hasAuthParams, useAuth } from 'react-oidc-context';
import { createCaller } from './api/client.ts';
import { CallerContext } from './api/context.ts';
import type { PageConfig } from './config.ts';
import { closePdfs } from './dashboard/open-pdfs.ts';
import { Button } from './ui/button.tsx';

/** Set while a member is signed in on this tab, so that a reload signs in again at the provider. Contains no token. */
const signedInHint = 'portico:signed-in';
const returnTo = 'portico:return-to';
const signOutPath = '/sign-out';

/** Authorization code flow with PKCE (RFC 7636). Tokens stay in memory; only the code verifier survives a redirect. */
const oidcSettings = ({ issuer, clientId }: PageConfig): AuthProviderProps => ({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${window.location.origin}/`,
  post_logout_redirect_uri: `${window.location.origin}/`,
  scope: 'openid profile email',
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
  automaticSilentRenew: false,
  // A provider that does not respond must not keep a member from signing out.
  requestTimeoutInSeconds: 10,
  onSigninCallback: () => {
    window.sessionStorage.setItem(signedInHint, 'yes');
    replaceCallbackUrl();
    window.sessionStorage.removeItem(returnTo);
  },
});

/** Replaces a URL whose `code` and `state` are used up with the URL where the sign-in began. */
const replaceCallbackUrl = (): void =>
  window.history.replaceState({}, '', window.sessionStorage.getItem(returnTo) ?? '/');

/** Stores the current path to return to after sign-in. A callback URL keeps the path that was stored before. */
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

/** Shows the pages to a signed-in member, and a sign-in button to others. */
const SignedIn = ({ apiUrl, children }: { readonly apiUrl: string; readonly children: ReactNode }) => {
  const auth = useAuth();
  const token = auth.user?.access_token;
  const signIn = useSignIn();
  const caller = useMemo(() => createCaller(apiUrl, token, signIn), [apiUrl, token, signIn]);
  useSignOutElsewhere();

  useEffect(() => {
    if (auth.error && hasAuthParams()) replaceCallbackUrl();
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
          Sign-in failed. Please try again.
        </p>
      ) : null}
      <Button onClick={signIn}>Sign in</Button>
    </main>
  );
};

/** Redirects to the provider, once for any number of requests that are refused at the same time. */
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

/** Notifies the other tabs of this browser of a sign-out. */
const signOuts = new BroadcastChannel('portico:signed-out');

/** Ends the session here, at the provider and in all other tabs. */
export const useSignOut = (): (() => void) => {
  const { signoutRedirect, revokeTokens } = useAuth();
  const queries = useQueryClient();
  return useCallback(() => {
    const signOut = async () => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is same-origin and has no target
      signOuts.postMessage('signed out');
      forgetMember();
      queries.clear();
      // Separately: a provider may not support revocation (RFC 7009), or not for its JWT access tokens.
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

/** Removes a member's data that outlives the pages on this tab. */
const forgetMember = (): void => {
  for (const key of Object.keys(window.sessionStorage))
    if (key.startsWith('portico:')) window.sessionStorage.removeItem(key);
  closePdfs();
};
