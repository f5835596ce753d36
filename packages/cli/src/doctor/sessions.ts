import { discoveryUrl } from '@portico/adapters-http';
import type { JsonObject } from '@portico/core';
import { methodOf } from '../settings/sections/credentials-schema.ts';
import { sessionProvider } from '../settings/sections/session-schema.ts';
import { type Checks, failed, type Finding, ok } from './check.ts';
import { documentIn } from './issuer.ts';
import { request } from './request.ts';

/** What browser sessions need from the provider: its discovery document (contract, section 11). */
export const examineSessions: Checks = async ({ settings, connections, check }) => {
  const provider = sessionProvider(settings);
  if (!provider) return [];
  const { issuer, client } = provider;
  const logoutUrl = settings.session?.logoutUrl;
  const method = methodOf(client ?? {});
  const needsBackChannel = settings.session?.store === 'redis';
  return [
    await check('browser sessions', async (signal) => {
      const fetched = await request('GET', discoveryUrl(issuer), 'identity.issuer', signal, connections.common);
      return fetched.match(
        (response) =>
          response.status === 200
            ? sessionFinding(documentIn(response), { issuer, method, needsBackChannel, logoutUrl })
            : failed(`HTTP ${response.status} for the discovery document`, 'Check identity.issuer.'),
        (finding) => finding,
      );
    }),
  ];
};

interface Needs {
  readonly issuer: string;
  readonly method: string;
  readonly needsBackChannel: boolean;
  readonly logoutUrl: string | undefined;
}

const sessionFinding = (document: JsonObject, needs: Needs): Finding => {
  const { issuer, method, logoutUrl } = needs;
  if (document['issuer'] !== issuer)
    return failed('the discovery document does not name identity.issuer', 'Set identity.issuer to exactly its issuer.');
  const missing = ['authorization_endpoint', 'token_endpoint'].filter((name) => typeof document[name] !== 'string');
  if (missing.length > 0)
    return failed(
      `the discovery document has no ${missing.join(' and no ')}`,
      'Use an OpenID Connect provider with the authorization code flow.',
    );
  // Providers may leave out both lists: Microsoft Entra ID supports S256 and does not list it.
  if (!lists(document, 'code_challenge_methods_supported', 'S256'))
    return failed('the provider does not list PKCE with S256', 'Enable PKCE with S256 for the client.');
  if (!lists(document, 'token_endpoint_auth_methods_supported', method))
    return failed(`the provider does not list the client authentication ${method}`, 'Set identity.client.method.');
  if (logoutUrl === undefined && hasOwnLogoutPage(document))
    return failed(
      'the sign-out page of this provider does not accept the standard parameters',
      'Set session.logoutUrl, as the how-to of the provider shows.',
    );
  return ok(['sign-in with PKCE', ...signOut(document, needs)].join('; '));
};

/** Okta requires `id_token_hint`, and Cognito `logout_uri`: members would see an error page. */
const hasOwnLogoutPage = ({ end_session_endpoint: page }: JsonObject): boolean =>
  typeof page === 'string' &&
  /\.(?:amazoncognito|okta|oktapreview|okta-emea)\.com$/.test(URL.parse(page)?.hostname ?? '');

/** Whether a list of the document has this value. A list that is absent is not a refusal. */
const lists = (document: JsonObject, name: string, value: string): boolean => {
  const list = document[name];
  return !Array.isArray(list) || list.includes(value);
};

const signOut = (
  document: JsonObject,
  { needsBackChannel, logoutUrl }: Pick<Needs, 'needsBackChannel' | 'logoutUrl'>,
): readonly string[] => [
  logoutUrl !== undefined || typeof document['end_session_endpoint'] === 'string'
    ? 'sign-out at the provider'
    : 'no end_session_endpoint, so members stay signed in at the provider',
  ...(typeof document['revocation_endpoint'] === 'string'
    ? []
    : ['no revocation_endpoint, so refresh tokens end with their lifetime']),
  ...(needsBackChannel
    ? [document['backchannel_logout_supported'] === true ? 'back-channel logout' : 'no back-channel logout']
    : []),
];
