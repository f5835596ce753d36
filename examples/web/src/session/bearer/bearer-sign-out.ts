import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useAuth } from 'react-oidc-context';
import { announceSignOut, forgetMember, onSignOutElsewhere } from '../member-data.ts';

/** Ends the session here, at the provider and in all other tabs. */
export const useSignOut = (): (() => Promise<void>) => {
  const { signoutRedirect, revokeTokens } = useAuth();
  const queries = useQueryClient();
  return useCallback(async () => {
    announceSignOut();
    forgetMember();
    queries.clear();
    // Separately: a provider may not support revocation (RFC 7009), or not for its JWT access tokens.
    for (const type of ['refresh_token', 'access_token'] as const) await revokeTokens([type]).catch(() => {});
    // The parameters for sign-in do not apply here.
    await signoutRedirect({ extraQueryParams: {} });
  }, [signoutRedirect, revokeTokens, queries]);
};

/** Ends the session here when it ends in another tab. */
export const useSignOutElsewhere = (): void => {
  const { removeUser } = useAuth();
  const queries = useQueryClient();
  useEffect(
    () =>
      onSignOutElsewhere(() => {
        forgetMember();
        void removeUser().then(() => queries.clear());
      }),
    [removeUser, queries],
  );
};
