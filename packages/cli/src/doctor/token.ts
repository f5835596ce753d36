import { claimedIssuer, diagnoseToken } from '@portico/adapters-http';
import { identityProviders, signInProvider } from '../settings/sections/identity-schema.ts';
import type { Examination } from './check.ts';

/** One verification rule: what the settings expect, and what the token has. */
export interface RuleResult {
  readonly rule: string;
  readonly outcome: 'ok' | 'failed' | 'not-tested';
  readonly expected: string;
  readonly found: string;
}

/**
 * The token against each verification rule of its issuer, or of the first one. Nothing is sent; `keys` are the key sets that
 * the providers published, by issuer.
 */
export const examineToken = async (
  token: string,
  { settings, clock }: Pick<Examination, 'settings' | 'clock'>,
  keys: ReadonlyMap<string, unknown>,
): Promise<readonly RuleResult[]> => {
  const claimed = claimedIssuer(token);
  const provider = identityProviders(settings).find(({ issuer }) => issuer === claimed) ?? signInProvider(settings);
  if (!provider)
    return [{ rule: 'issuer', outcome: 'not-tested', expected: 'an issuer in identity.issuer', found: 'none' }];
  const findings = await diagnoseToken(token, provider, keys.get(provider.issuer), clock.now());
  return findings.map(({ rule, holds, expected, found }) => ({
    rule,
    outcome: holds === undefined ? 'not-tested' : holds ? 'ok' : 'failed',
    expected,
    found,
  }));
};
