import { discoveryPath, discoveryUrl, isEndpointOf, summarizeKeys } from '@portico/adapters-http';
import type { JsonObject } from '@portico/core';
import { type IdentityProvider, identityProviders } from '../settings/sections/identity-schema.ts';
import { fieldsIn } from '../settings/setting-types.ts';
import { type CheckResult, type Examination, failed, type Finding, notTested, ok } from './check.ts';
import { request, type Response } from './request.ts';

/** The lines about the identity providers, and their key sets for the check of a token. */
export interface IssuerReport {
  readonly results: readonly CheckResult[];
  /** By the issuer. A key set is absent when it could not be fetched. */
  readonly keys: ReadonlyMap<string, unknown>;
}

/** A response, and when it was requested and received, in milliseconds since the epoch. */
interface Dated {
  readonly response: Response;
  readonly between: readonly [number, number];
}

/** Examines every provider. With several, the names of the checks have their number in the settings. */
export const examineIssuers = async (examination: Examination): Promise<IssuerReport> => {
  const providers = identityProviders(examination.settings);
  const numberOf = (index: number) => (providers.length > 1 ? ` (identity.${index})` : '');
  const found = await Promise.all(
    providers.map(async (provider, index) => ({
      issuer: provider.issuer,
      ...(await examineIssuer(examination, provider, numberOf(index))),
    })),
  );
  return {
    results: found.flatMap(({ results }) => results),
    keys: new Map(found.map(({ issuer, keys }) => [issuer, keys])),
  };
};

/** The discovery document, the key set it names, and the provider's clock. */
const examineIssuer = async (
  { connections, clock, check }: Examination,
  identity: IdentityProvider,
  number: string,
) => {
  let dated: Dated | undefined;
  const get = async (url: string, setting: string, signal: AbortSignal) => {
    const from = clock.now();
    return (await request('GET', url, setting, signal, connections.common)).map((response) => {
      dated = { response, between: [from, clock.now()] };
      return response;
    });
  };

  let jwksUrl: string | undefined = identity.jwksUrl ?? undefined;
  const discovery = await check(`issuer${number}`, async (signal) => {
    if (jwksUrl !== undefined) return notTested('identity.jwksUrl is set: discovery is not needed to verify tokens');
    const fetched = await get(discoveryUrl(identity.issuer), 'identity.issuer', signal);
    if (fetched.isErr()) return fetched.error;
    jwksUrl = keysUrlIn(fetched.value, identity.issuer);
    return discoveryFinding(fetched.value, identity.issuer);
  });

  let keys: unknown;
  const keySet = await check(`key set${number}`, async (signal) => {
    if (jwksUrl === undefined) return notTested('requires a valid discovery document');
    const fetched = await get(jwksUrl, identity.jwksUrl === undefined ? 'jwks_uri' : 'identity.jwksUrl', signal);
    if (fetched.isErr()) return fetched.error;
    const document = documentIn(fetched.value);
    const finding = await keysFinding(fetched.value, document, identity);
    if (finding.outcome === 'ok') keys = document;
    return finding;
  });

  const skew = await check(`provider's clock${number}`, async () => clockFinding(dated, identity));
  return { results: [discovery, keySet, skew], keys };
};

const isSuccess = ({ status }: Response): boolean => status >= 200 && status <= 299;

/** The JSON object of a response; an empty one if it has other content. */
export const documentIn = ({ text }: Response): JsonObject => fieldsIn(text);

const keysUrlIn = (response: Response, issuer: string): string | undefined => {
  const { issuer: found, jwks_uri: url } = documentIn(response);
  return isSuccess(response) && found === issuer && isEndpointOf(issuer, url) ? url : undefined;
};

const discoveryFinding = (response: Response, issuer: string): Finding => {
  if (!isSuccess(response))
    return failed(`HTTP ${response.status} for ${discoveryPath}`, 'Check identity.issuer, or set identity.jwksUrl.');
  const { issuer: found } = documentIn(response);
  if (typeof found !== 'string')
    return failed(
      'the discovery document is not JSON with an issuer',
      'Check identity.issuer, or set identity.jwksUrl.',
    );
  if (found !== issuer)
    return failed(
      `the discovery document names another issuer: ${found}`,
      'Set identity.issuer to exactly this, if it is your provider. Tokens must have it as iss.',
    );
  return keysUrlIn(response, issuer) === undefined
    ? failed('the discovery document has no jwks_uri, or one without https', 'Set identity.jwksUrl.')
    : ok('the discovery document names the same issuer');
};

const keysFinding = async (response: Response, document: unknown, identity: IdentityProvider): Promise<Finding> => {
  if (!isSuccess(response)) return failed(`HTTP ${response.status}`, 'Check identity.jwksUrl, or the provider.');
  const summary = await summarizeKeys(document, identity.algorithms);
  if (!summary || summary.total === 0)
    return failed('the document has no keys', 'Check identity.jwksUrl, or the provider.');
  const { total, usable, algorithms } = summary;
  if (usable === 0)
    return failed(
      `no key fits identity.algorithms (${identity.algorithms.join(', ')})`,
      algorithms.length > 0
        ? `Add the algorithm of your tokens to identity.algorithms; the keys are for ${algorithms.join(', ')}.`
        : 'Let the provider sign with an asymmetric algorithm, such as RS256.',
    );
  return ok(
    `${usable} of ${total} keys can verify ${identity.algorithms.filter((one) => algorithms.includes(one as never)).join(', ')}`,
  );
};

/** `Date` has integer seconds: the provider's time was somewhere in that second, and somewhere during the request. */
const clockFinding = (dated: Dated | undefined, { clockToleranceSeconds: tolerance }: IdentityProvider): Finding => {
  if (!dated) return notTested('the provider did not respond');
  const { response, between } = dated;
  const date = response.dateMs;
  if (Number.isNaN(date)) return notTested('the provider sends no Date header');
  const [from, until] = between;
  const skewMs = Math.max(0, date - until) - Math.max(0, from - (date + 999));
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (seconds === 0) return ok('the same as here');
  const detail = `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`;
  return seconds <= tolerance
    ? ok(`${detail}, within identity.clockToleranceSeconds (${tolerance})`)
    : failed(
        `${detail}; identity.clockToleranceSeconds is ${tolerance}`,
        'Synchronize both clocks (NTP). Otherwise valid tokens may be refused, and expired ones accepted.',
      );
};
