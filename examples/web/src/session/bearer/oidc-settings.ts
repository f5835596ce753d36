import { InMemoryWebStorage, WebStorageStateStore } from 'oidc-client-ts';
import { type AuthProviderProps, hasAuthParams } from 'react-oidc-context';
import type { PageConfig } from '../../config.ts';
import { digestOf } from '../digest.ts';
import { restoreDrafts } from '../drafts.ts';
import { rememberMember } from '../member-data.ts';
import { returnPath } from '../return-path.ts';

/** Set while a member is signed in on this tab, so that a reload signs in again at the provider. Contains no token. */
export const signedInHint = 'portico:signed-in';
const returnTo = 'portico:return-to';

/** Authorization code flow with PKCE (RFC 7636). Tokens stay in memory; only the code verifier survives a redirect. */
export const oidcSettings = ({ issuer, clientId, scope, authorizeParameters }: PageConfig): AuthProviderProps => ({
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${window.location.origin}/`,
  post_logout_redirect_uri: `${window.location.origin}/`,
  scope: scope ?? 'openid profile email',
  extraQueryParams: { ...authorizeParameters },
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
  automaticSilentRenew: false,
  // A provider that does not respond must not keep a member from signing out.
  requestTimeoutInSeconds: 10,
  onSigninCallback: async (user) => {
    replaceCallbackUrl();
    window.sessionStorage.removeItem(returnTo);
    if (user) await begin(user.profile.sub);
    window.sessionStorage.setItem(signedInHint, 'yes');
  },
});

/** The browser stores only a digest of the `sub`, because some providers use the email address of the member. */
const begin = async (sub: string): Promise<void> => {
  rememberMember(await digestOf(sub));
  restoreDrafts(sub);
};

/** Replaces a URL whose `code` and `state` are used up with the URL where the sign-in began. */
export const replaceCallbackUrl = (): void =>
  window.history.replaceState({}, '', window.sessionStorage.getItem(returnTo) ?? '/');

/** Stores the current path to return to after sign-in. A callback URL keeps the path that was stored before. */
export const rememberPath = (): void => {
  if (!hasAuthParams()) window.sessionStorage.setItem(returnTo, returnPath(window.location));
};
