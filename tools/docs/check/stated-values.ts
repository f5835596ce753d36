import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dpopProofDefaults, identityDefaults } from '@portico/adapters-http';
import { serverDefaults } from '@portico/adapters-koa/settings';
import { redisRateLimiterDefaults } from '@portico/adapters-redis';
import { sessionDefaults } from '@portico/adapters-session';
import { doctorDefaults, initDefaults } from '@portico/cli/internals';
import { clientDefaults } from '@portico/client';
import {
  journeyDefaults,
  maxPageBytes,
  maxSignInMs,
  proofAgeSeconds,
  rateLimiterDefaults,
  replayMarginSeconds,
  searchLengths,
} from '@portico/core';
import { isThere, type Problem } from '../project.ts';

const seconds = (ms: number): string => `${ms / 1000} seconds`;
const minutes = (ms: number): string => `${ms / 60_000} minutes`;
const mebibytes = (bytes: number): string => `${bytes / 1024 ** 2} MiB`;
const grouped = (count: number): string => count.toLocaleString('en');

const drained = serverDefaults.drainLimitMs;
const { idleSeconds, absoluteSeconds } = sessionDefaults;

/**
 * Texts that state a value of the code in a sentence, and the files that must contain them. A value is never at the start or
 * end of its text, where it could be a part of a longer number.
 */
const statements: readonly (readonly [text: string, ...files: readonly string[]])[] = [
  [`within ${seconds(drained)}, or one second more`, 'docs/operations.md'],
  [`after at most ${seconds(drained)}, or one second more`, 'docs/scaling.md'],
  [`finished: ${seconds(drained)} at most, or one second more`, 'docs/how-to/kubernetes.md'],
  [`plus ${seconds(drained)}, or plus the longest`, 'docs/how-to/docker.md', 'docs/how-to/systemd.md'],
  [
    `plus ${drained / 1000} s, or plus the longest`,
    ...['kubernetes.yaml', 'compose.yaml', 'portico.service', 'portico@.service'].map((name) => `docs/deploy/${name}`),
  ],
  [`for ${serverDefaults.keepAliveTimeoutMs / 1000} (\`connections.keepAliveTimeoutMs\`)`, 'docs/how-to/nginx.md'],
  [`(${mebibytes(serverDefaults.maxCallbackBytes)})`, 'docs/scaling.md'],
  [`bodies of ${mebibytes(serverDefaults.maxCallbackBytes)}`, 'docs/how-to/kubernetes.md'],
  [`after ${seconds(clientDefaults.timeoutMs)} (\`timeoutMs\`)`, 'docs/how-to/client.md'],
  [`after ${clientDefaults.searchTimeoutMs / 1000} (\`searchTimeoutMs\`)`, 'docs/how-to/client.md'],
  [`JSON ${mebibytes(clientDefaults.maxResponseBytes)} (\`maxResponseBytes\`)`, 'docs/how-to/client.md'],
  [`search ${mebibytes(clientDefaults.maxSearchBytes)} (\`maxSearchBytes\`)`, 'docs/how-to/client.md'],
  [`\`getDocumentBlob\` ${mebibytes(clientDefaults.maxDocumentBytes)} (\`maxDocumentBytes\`)`, 'docs/how-to/client.md'],
  [`at most ${mebibytes(maxPageBytes)} (${maxPageBytes} bytes`, 'docs/contract.md'],
  [`at most ${mebibytes(maxPageBytes)} together`, 'docs/member-api.md'],
  [`at most ${grouped(rateLimiterDefaults.maxCallers)} callers`, 'docs/rate-limits.md'],
  [`at most ${redisRateLimiterDefaults.waitMs} ms for Redis`, 'docs/rate-limits.md'],
  [`older than ${minutes(maxSignInMs)}`, 'docs/how-to/sessions.md'],
  [`remembers it for ${minutes(maxSignInMs)}`, 'docs/how-to/sessions.md'],
  [
    `after ${idleSeconds / 60} minutes without a request and ${absoluteSeconds / 3600} hours after the sign-in`,
    'docs/how-to/sessions.md',
  ],
  [`\`session.absoluteSeconds\`, ${absoluteSeconds / 3600} hours`, 'docs/tutorials/operator.md'],
  [`\`idleSeconds\` ${idleSeconds}, \`absoluteSeconds\` ${absoluteSeconds};`, 'docs/contract.md'],
  [`within ${proofAgeSeconds} seconds of now`, 'docs/how-to/access-rules.md'],
  [
    `more than ${dpopProofDefaults.maxProofsPerToken} proofs of one token in a window of ${2 * proofAgeSeconds + replayMarginSeconds} seconds`,
    'docs/how-to/access-rules.md',
  ],
  [`is ${grouped(identityDefaults.maxLifetimeSeconds)} seconds, which is the maximum`, 'docs/how-to/auth0.md'],
  [`up to ${journeyDefaults.settleMs} ms`, 'docs/preferences-journey.md'],
  [
    `\`persona\` (1 to ${searchLengths.persona} characters), \`query\` (1 to ${searchLengths.query}) and \`user_id\` (1 to ${searchLengths.user_id})`,
    'docs/contract.md',
  ],
  [`(1 to ${searchLengths.persona} characters)`, 'docs/search.md'],
  [`deadline of ${seconds(doctorDefaults.timeoutMs)}`, 'docs/troubleshooting.md'],
  [`\`portico init\` writes \`${initDefaults.file}\``, 'docs/troubleshooting.md'],
];

/** Checks sentences that state values: a changed value must change them, too. Lines may break anywhere in a text. */
export const checkStatedValues = (root: string): readonly Problem[] =>
  statements
    .flatMap(([text, ...files]) => files.map((file) => ({ file, text })))
    .filter(({ file, text }) => !isThere(root, file) || !oneLine(root, file).includes(text))
    .map(({ file, text }) => ({ file, line: 1, message: `does not state the value of the code: ${text}` }));

const oneLine = (root: string, file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/\s*\n[\s#>]*/g, ' ');
