import { createHash, randomUUID } from 'node:crypto';
import { dpopProofs, httpIdentity } from '@portico/adapters-http';
import { authenticate, type DpopProof } from '@portico/core';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { ResultAsync } from 'neverthrow';
import { log } from '../../command.ts';
import { createSigner, issuer, secondsFromNow } from '../../tokens.ts';
import { ownProcessorTime } from '../load/process-usage.ts';
import type { Row } from '../../records/record.ts';
import { comparedWith } from './row.ts';

const title = 'processor time to authenticate a DPoP-bound token, cached, with a new proof';
const rounds = 5;
const requests = 500;
const request = { method: 'GET', url: 'https://portal.example/me/claims' } as const;

/** A token that is bound to a new key, and its proofs. */
const boundToken = async (sign: Awaited<ReturnType<typeof createSigner>>['sign']) => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  const token = await sign({ sub: 'PTY-1', cnf: { jkt: await calculateJwkThumbprint(jwk) } });
  const ath = createHash('sha256').update(token).digest('base64url');
  const prove = async (): Promise<DpopProof> => {
    const claims = { jti: randomUUID(), htm: request.method, htu: request.url, iat: secondsFromNow(0), ath };
    const proof = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk });
    return { ...request, proof: await proof.sign(privateKey) };
  };
  return { token, prove };
};

/** Microseconds of processor time per call. */
const costOf = async <T>(inputs: readonly T[], call: (input: T) => ResultAsync<unknown, unknown>) => {
  const used = await ownProcessorTime(async () => {
    for (const input of inputs)
      if ((await call(input)).isErr()) throw new Error('The token of the benchmark was refused.');
  });
  return used / inputs.length;
};

/** The row of token verification without HTTP: a DPoP-bound token beside a plain one. */
export const measureAuthentication = async (filter: string): Promise<Row[]> => {
  if (!title.includes(filter)) return [];
  const { jwks, sign } = await createSigner();
  const fetch = async () => new Response(jwks, { headers: { 'content-type': 'application/json' } });
  const identity = httpIdentity({ issuer, audience: ['portico'], jwksUrl: `${issuer}/keys`, fetch });
  const check = authenticate(identity, { dpop: 'accept' }, dpopProofs({ maxProofsPerToken: Infinity }));
  const plain = await sign({ sub: 'PTY-1' });
  const { token, prove } = await boundToken(sign);
  const own: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const proofs = await Promise.all(Array.from({ length: requests }, prove));
    own.push(await costOf(proofs, (proof) => check(token, 'read', proof)));
    other.push(await costOf(Array<string>(20 * requests).fill(plain), (token) => check(token, 'read')));
    log(`${title} | ${own.at(-1)!.toFixed(0)} µs, plain ${other.at(-1)!.toFixed(2)} µs`);
  }
  return [{ title, unit: 'µs', ...comparedWith('plain bearer token, cached', own, other) }];
};
