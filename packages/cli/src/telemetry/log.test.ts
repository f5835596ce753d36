import { once } from 'node:events';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jsonLines } from './log.ts';

/** An output stream. `writes` are the chunks, `entries` the parsed lines; `written` resolves at the first write. */
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
  const entries = (): unknown[] =>
    writes
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  return { output, writes, entries, written: written.promise };
};

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

describe('a log line', () => {
  it('writes a line as one JSON document with time, level, message and fields', () => {
    const { output, writes } = reader();
    const before = Date.now();
    jsonLines('info', output)('warn', 'no keys yet', { failure: { kind: 'upstream' }, count: 2 });
    const after = Date.now();

    expect(writes).toHaveLength(1);
    const entry = JSON.parse(writes[0] ?? '') as { readonly time: string };
    expect(entry).toEqual({ time, level: 'warn', message: 'no keys yet', failure: { kind: 'upstream' }, count: 2 });
    expect(writes[0]).toMatch(/^[^\n]+\n$/);
    expect(Date.parse(entry.time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(entry.time)).toBeLessThanOrEqual(after);
  });

  it('writes the time in milliseconds, also across seconds', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { output, entries } = reader();
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

    expect(entries()).toEqual(times.map((time) => ({ time, level: 'warn', message: 'now' })));
  });

  it('writes the stack of an error but not its message', () => {
    const { output, writes, entries } = reader();
    const log = jsonLines('info', output);
    log('error', 'unexpected error', { err: new TypeError('hunter2') });
    log('error', 'unexpected error', { error: new TypeError('hunter2') });

    expect(entries()).toMatchObject([{ err: { name: 'TypeError', at: expect.any(Array) } }, {}]);
    expect(writes.join('')).not.toContain('hunter2');
  });

  it.each([
    ['silent', []],
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
  ] as const)('writes with threshold %s only the levels %j', (threshold, levels) => {
    const { output, entries } = reader();
    const log = jsonLines(threshold, output);
    for (const level of ['error', 'warn', 'info'] as const) log(level, 'an event');
    log.flush();

    expect(entries()).toEqual(levels.map((level) => ({ time, level, message: 'an event' })));
  });
});

describe('buffered log lines', () => {
  it('writes info lines together after a short delay', async () => {
    const { output, writes, entries, written } = reader();
    const log = jsonLines('info', output);
    log('info', 'one');
    log('info', 'two');
    expect(writes).toEqual([]);
    await written;

    expect(writes).toHaveLength(1);
    expect(entries()).toMatchObject([{ message: 'one' }, { message: 'two' }]);
  });

  it('writes info lines immediately when the buffer is full', () => {
    const { output, writes } = reader();
    const log = jsonLines('info', output);
    log('info', 'x'.repeat(9000));
    expect(writes).toEqual([]);
    log('info', 'x'.repeat(9000));

    expect(writes).toHaveLength(1);
  });

  it('writes buffered lines before a warning, immediately', () => {
    const { output, entries } = reader();
    const log = jsonLines('info', output);
    log('info', 'one');
    log('warn', 'two');

    expect(entries()).toMatchObject([{ message: 'one' }, { message: 'two' }]);
  });
});

it('the log buffers unread lines up to a limit, and reports how many were dropped', async () => {
  const chunks: string[] = [];
  let isRead = false;
  let proceed: (() => void) | undefined;
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      chunks.push(text);
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

  const lines = chunks.join('').split('\n').slice(0, -1);
  expect(lines).toHaveLength(18);
  expect(lines.slice(16).map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      time,
      level: 'warn',
      message: 'log lines were dropped because stderr was not read or could not be written',
      lines: 4,
    },
    { time, level: 'info', message: 'read again' },
  ]);
});

it('the log counts lines that could not be written, and ends a line that was cut', async () => {
  const written: string[] = [];
  let isFull = false;
  // The stream of stderr still works after an error, unlike a `Writable` of a program.
  const output = {
    writableLength: 0,
    write: (text: string, done: (error?: Error) => void) => {
      written.push(isFull ? text.slice(0, 20) : text);
      done(isFull ? new Error('no space') : undefined);
    },
  } as Writable;
  const log = jsonLines('info', output);
  log('warn', 'before');
  isFull = true;
  for (let line = 0; line < 2; line++) log('warn', 'lost');
  isFull = false;
  log('warn', 'after');
  log('warn', 'later');

  const lines = written.join('').split('\n');
  expect(lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as unknown)).toEqual([
    { time, level: 'warn', message: 'before' },
    { time, level: 'warn', message: 'after' },
    expect.objectContaining({ message: expect.stringMatching(/^log lines were dropped/), lines: 2 }),
    { time, level: 'warn', message: 'later' },
  ]);
});
