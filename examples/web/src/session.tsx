import { InMemoryWebStorage, WebStorageStateStore } from 'oidc-client-ts';
import { type ReactNode, useCallback, useEffect, useMemo } from 'react';
import { AuthProvider, type AuthProviderProps, useAuth } from 'react-oidc-context';
import { createApi } from './api/client.ts';
import { ApiContext } from './api/context.ts';
import type { PageConfig } from './config.ts';
import { Button } from './ui/button.tsx';

/** Says only that somebody signed in on this tab, so that a reload may ask the provider again. No token is kept. */
const signedInHint = 'portico:signed-in';
const returnTo = 'portico:return-to';

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
  onSigninCallback: () => {
    window.sessionStorage.setItem(signedInHint, 'yes');
    const path = window.sessionStorage.getItem(returnTo) ?? '/';
    window.sessionStorage.removeItem(returnTo);
    // Without code and state, which are used up.
    window.history.replaceState({}, '', path);
  },
});

export const Session = ({ config, children }: { readonly config: PageConfig; readonly children: ReactNode }) => {
  const settings = useMemo(() => oidcSettings(config), [config]);
  return (
    <AuthProvider {...settings}>
      <SignedIn apiUrl={config.apiUrl ?? ''}>{children}</SignedIn>
    </AuthProvider>
  );
};

/** Shows the pages to somebody who is signed in, and the way in to everybody else. */
const SignedIn = ({ apiUrl, children }: { readonly apiUrl: string; readonly children: ReactNode }) => {
  const auth = useAuth();
  const token = auth.user?.access_token;
  const { signinRedirect } = auth;

  const signIn = useCallback(() => {
    window.sessionStorage.setItem(returnTo, window.location.pathname + window.location.search);
    void signinRedirect();
  }, [signinRedirect]);
  const api = useMemo(() => createApi(apiUrl, token, signIn), [apiUrl, token, signIn]);

  const wasSignedIn = window.sessionStorage.getItem(signedInHint) === 'yes';
  const isIdle = !auth.isLoading && !auth.activeNavigator && !auth.isAuthenticated && !auth.error;
  useEffect(() => {
    if (isIdle && wasSignedIn) signIn();
  }, [isIdle, wasSignedIn, signIn]);

  if (auth.isAuthenticated) return <ApiContext value={api}>{children}</ApiContext>;
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

/** Ends the session here and at the provider. */
export const useSignOut = (): (() => void) => {
  const { signoutRedirect } = useAuth();
  return useCallback(() => {
    window.sessionStorage.removeItem(signedInHint);
    void signoutRedirect();
  }, [signoutRedirect]);
};
