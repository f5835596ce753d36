import { randomUUID } from 'node:crypto';
import { createSigner } from '../../tokens.ts';

/** Distinct access tokens of one member, and the keys that verify them. */
export const issueTokens = async (count: number): Promise<{ readonly jwks: string; readonly tokens: string[] }> => {
  const { jwks, sign } = await createSigner();
  const claims = { scope: 'openid profile', azp: 'portico-web', preferred_username: 'bench', email_verified: true };
  const issue = () => sign({ ...claims, sid: randomUUID(), sub: 'PTY-1' });
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(...(await Promise.all(Array.from({ length: 100 }, issue))));
  return { jwks, tokens };
};
