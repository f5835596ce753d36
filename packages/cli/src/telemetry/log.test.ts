import { once } from 'node:events';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jsonLines } from './log.ts';

/** Where the lines go; `writes` are the texts as they came, `written` resolves with the first. */
const reader = () => {
  const writes: string[] = [];
  const written = Promise.withResolvers<void>();
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      writes.push(text);
      written.resolve();
      done();
    },
  });
  const said = (): unknown[] =>
    writes
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  return { output, writes, said, written: written.promise };
};

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

describe('a line of the log', () => {
  it('is one JSON document with the time, the level by its name, the message and the fields', () => {
    const { output, writes } = reader();
    const before = Date.now();
    jsonLines('info', output)('warn', 'no keys yet', { failure: { kind: 'upstream' }, count: 2 });
    const after = Date.now();

    expect(writes).toHaveLength(1);
    const said = JSON.parse(writes[0] ?? '') as { readonly time: string };
    expect(said).toEqual({ time, level: 'warn', message: 'no keys yet', failure: { kind: 'upstream' }, count: 2 });
    expect(writes[0]).toMatch(/^[^\n]+\n$/);
    expect(Date.parse(said.time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(said.time)).toBeLessThanOrEqual(after);
  });

  it('has its time to the millisecond, from one second to the next', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { output, said } = reader();
    const log = jsonLines('info', output);
    const times = [
      '2026-01-31T23:59:58.999Z',
      '2026-01-31T23:59:59.007Z',
      '2026-01-31T23:59:59.070Z',
      '1970-01-01T00:00:00.000Z',
    ];
    for (const now of times) {
      vi.setSystemTime(now);
      log('warn', 'now');
    }

    expect(said()).toEqual(times.map((time) => ({ time, level: 'warn', message: 'now' })));
  });

  it('says of an error where it happened, and never quotes it', () => {
    const { output, writes, said } = reader();
    const log = jsonLines('info', output);
    log('error', 'unexpected error', { err: new TypeError('hunter2') });
    log('error', 'unexpected error', { error: new TypeError('hunter2') });

    expect(said()).toMatchObject([{ err: { name: 'TypeError', at: expect.any(Array) } }, {}]);
    expect(writes.join('')).not.toContain('hunter2');
  });

  it.each([
    ['silent', []],
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
  ] as const)('at level %s is written for %j', (threshold, levels) => {
    const { output, said } = reader();
    const log = jsonLines(threshold, output);
    for (const level of ['error', 'warn', 'info'] as const) log(level, 'what happened');
    log.flush();

    expect(said()).toEqual(levels.map((level) => ({ time, level, message: 'what happened' })));
  });
});

describe('lines of level info', () => {
  it('wait for each other for a moment, and then go out together', async () => {
    const { output, writes, said, written } = reader();
    const log = jsonLines('info', output);
    log('info', 'one');
    log('info', 'two');
    expect(writes).toEqual([]);
    await written;

    expect(writes).toHaveLength(1);
    expect(said()).toMatchObject([{ message: 'one' }, { message: 'two' }]);
  });

  it('do not wait when there are enough for a write', () => {
    const { output, writes } = reader();
    const log = jsonLines('info', output);
    log('info', 'x'.repeat(9000));
    expect(writes).toEqual([]);
    log('info', 'x'.repeat(9000));

    expect(writes).toHaveLength(1);
  });

  it('go out in their order with a warning, which does not wait', () => {
    const { output, said } = reader();
    const log = jsonLines('info', output);
    log('info', 'one');
    log('warn', 'two');

    expect(said()).toMatchObject([{ message: 'one' }, { message: 'two' }]);
  });
});

it('keeps what nobody reads up to a limit, and says how many lines were lost beyond it', async () => {
  const texts: string[] = [];
  let isRead = false;
  let proceed: (() => void) | undefined;
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      texts.push(text);
      if (isRead) done();
      else proceed = done;
    },
  });
  const log = jsonLines('info', output);
  for (let line = 0; line < 20; line++) log('warn', 'unread', { text: 'x'.repeat(1_048_576) });
  expect(output.writableLength).toBeLessThan(18 * 1_048_576);
  isRead = true;
  const drained = once(output, 'drain');
  proceed?.();
  await drained;
  log('info', 'read again');
  log.flush();

  const said = texts.join('').split('\n').slice(0, -1);
  expect(said).toHaveLength(18);
  expect(said.slice(16).map((line) => JSON.parse(line) as unknown)).toEqual([
    { time, level: 'warn', message: 'nobody read the log, and lines were dropped', lines: 4 },
    { time, level: 'info', message: 'read again' },
  ]);
});
