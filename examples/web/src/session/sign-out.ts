import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useAuth } from 'react-oidc-context';
import { closePdfs } from '../dashboard/open-pdfs.ts';
import { forgetDrafts } from './drafts.ts';

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
      // The parameters for sign-in do not apply here.
      await signoutRedirect({ extraQueryParams: {} });
    };
    void signOut();
  }, [signoutRedirect, revokeTokens, queries]);
};

/** Ends the session here when it ends in another tab. */
export const useSignOutElsewhere = (): void => {
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
  forgetDrafts();
  closePdfs();
};
