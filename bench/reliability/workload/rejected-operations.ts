import { Readable } from 'node:stream';
import { sizeLimits } from '../limits.ts';
import type { Identities } from './members.ts';
import { type Operation, operation, type WeightedKind } from './operation.ts';

const malformed: readonly (readonly [expected: string, route: string, body?: string, type?: string])[] = [
  ['400 invalid-request', 'POST /me/claims', '{"type":'],
  ['400 invalid-request', 'POST /me/claims', '{}'],
  ['415 unsupported-media-type', 'POST /me/claims', 'a claim', 'text/plain'],
  ['400 invalid-request', 'PUT /me/preferences', '{"email":true}'],
  ['400 invalid-request', 'PATCH /me/profile', '{"partyLocator":"PTY-1001"}'],
  ['400 invalid-request', 'GET /me/claims?partyLocator=PTY-1001'],
  ['400 invalid-request', 'GET /me/claims/%2e%2e'],
  ['404 no-such-route', 'GET /me/nothing'],
  ['405 method-not-allowed', 'DELETE /me/consent'],
  ['400 invalid-request', 'POST /api/search', '{"persona":"member"}'],
  ['400', 'POST /on_search', '{"context":'],
  ['400', 'POST /on_search', '{"context":{}}'],
  ['404 no-such-route', 'GET /nowhere'],
];

/** Requests that are rejected whatever faults are active. */
export const rejectedOperations = ({ members, badTokens }: Identities): readonly WeightedKind[] => {
  const badToken = (nth: number): Operation => {
    const token = badTokens[nth % badTokens.length];
    return operation('rejected token', 'GET /me/coverage', '401 unauthenticated', { token });
  };

  const badRequest = (nth: number): Operation => {
    const [expected, route, body, type] = malformed[nth % malformed.length]!;
    const { token } = members[nth % members.length]!;
    const headers = type === undefined ? {} : { 'content-type': type };
    return operation('malformed request', route, expected, { token, body, headers });
  };

  const partial = (title: string, expected: string, start: string, length: number, waitMs: number) => (): Operation => {
    const body = new Readable({ read: () => {} });
    body.push(start);
    const headers = { 'content-length': String(length) };
    const options = { token: members[0]!.token, headers, body, signal: AbortSignal.timeout(waitMs) };
    return operation(`request body that is ${title}`, 'POST /me/claims', expected, options);
  };

  return [
    [badToken, 12],
    [badRequest, 10],
    [partial('too large', '413 too-large', '{', sizeLimits.maxRequestBytes + 1, 10_000), 1],
    [partial('never completed', 'cancelled', '{"type":', 100, 100), 2],
  ];
};
