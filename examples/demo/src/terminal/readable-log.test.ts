import { expect, it } from 'vitest';
import { readableLog } from './readable-log.ts';

const readable = (...pieces: readonly string[]): string => {
  let written = '';
  const hear = readableLog((text) => {
    written += text;
  });
  for (const piece of pieces) hear(piece);
  return written.replaceAll(/^\d\d:\d\d:\d\d/gm, 'hh:mm:ss');
};

const line = (fields: object): string =>
  `${JSON.stringify({ level: 'info', time: '2026-11-22T12:57:25.646Z', ...fields })}\n`;

const request = { message: 'request', requestId: 'r-1', method: 'GET', route: '/me/claims/{locator}', outcome: 'ok' };

it('the readable log shows the time, method, route, status and duration of a request', () => {
  expect(readable(line({ ...request, status: 200, durationMs: 12.5, useCaseMs: 11 }))).toBe(
    'hh:mm:ss  GET    /me/claims/{locator}      200  12.5 ms\n',
  );
});

it('the readable log adds the code, service, reason and request id of a failed request', () => {
  const failure = { code: 'upstream-failure', service: 'claims', reason: 'timeout' };
  expect(readable(line({ ...request, status: 502, durationMs: 5000, ...failure }))).toBe(
    'hh:mm:ss  GET    /me/claims/{locator}      502  5000 ms  code=upstream-failure  service=claims  reason=timeout  requestId=r-1\n',
  );
});

it('the readable log shows the level, message and fields of other lines', () => {
  expect(readable(line({ level: 'warn', message: 'no keys', failure: { kind: 'upstream' }, count: 2 }))).toBe(
    'hh:mm:ss  warn  no keys  failure={"kind":"upstream"}  count=2\n',
  );
});

it('the readable log joins pieces into lines', () => {
  const text = line({ message: 'draining' }) + line({ message: 'stopped' });
  expect(readable(...text.split(/(?<=g)/), 'unfinished')).toBe('hh:mm:ss  info  draining\nhh:mm:ss  info  stopped\n');
});

it('the readable log keeps lines that are no JSON of the log', () => {
  expect(readable('portico: cannot listen\n{"a":1}\nnull\n')).toBe('portico: cannot listen\n{"a":1}\nnull\n');
});

it('the readable log contains no control characters', () => {
  expect(readable(line({ message: 'a\u001b[2Jb\u009b', path: '\u0007' }), '\u001b]0;title\n')).toBe(
    'hh:mm:ss  info  a[2Jb  path=\n]0;title\n',
  );
});
