import { diagnoseToken } from '@portico/adapters-http';
import type { Examination } from './check.ts';

/** One verification rule: what the settings expect, and what the token has. */
export interface RuleResult {
  readonly rule: string;
  readonly outcome: 'ok' | 'failed' | 'not-tested';
  readonly expected: string;
  readonly found: string;
}

/** The token against each verification rule. Nothing is sent; `keys` is the key set that the provider published. */
export const examineToken = async (
  token: string,
  { settings: { identity }, clock }: Pick<Examination, 'settings' | 'clock'>,
  keys: unknown,
): Promise<readonly RuleResult[]> => {
  if (!identity)
    return [{ rule: 'issuer', outcome: 'not-tested', expected: 'identity.issuer is not set', found: 'a token' }];
  const findings = await diagnoseToken(token, identity, keys, clock.now());
  return findings.map(({ rule, holds, expected, found }) => ({
    rule,
    outcome: holds === undefined ? 'not-tested' : holds ? 'ok' : 'failed',
    expected,
    found,
  }));
};
