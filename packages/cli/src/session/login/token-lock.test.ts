import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { directory, type Test } from '../../program/binary.test.support.ts';
import { retryMs, whileLocked } from './token-lock.ts';

const { signal } = new AbortController();

const noLock = (): never => {
  throw new Error('there was no lock');
};

/** Writes a file as old as one that a killed process left. */
const leave = (file: string, seconds = 1) => {
  writeFileSync(file, '');
  utimesSync(file, seconds, seconds);
};

/** A file whose lock a killed process left. */
const withStaleLock = (test: Test) => {
  const home = directory(test);
  const file = join(home, 'token.json');
  leave(`${file}.lock`);
  return { file, files: () => readdirSync(home) };
};

/** Long enough for a command that waits to take a lock that is free. */
const aMoment = (): Promise<void> => setTimeout(3 * retryMs);

describe.concurrent('whileLocked', () => {
  it('whileLocked takes over the lock of a killed process', async (test) => {
    const { file, files } = withStaleLock(test);

    expect(await whileLocked(file, signal, async () => files(), noLock)).toEqual(['token.json.lock']);
    expect(files()).toEqual([]);
  });

  it('whileLocked takes over the lock of a killed process after the clock was set back', async (test) => {
    const { file, files } = withStaleLock(test);
    leave(`${file}.lock`, Date.now() / 1000 + 3600);
    await whileLocked(file, signal, async () => {}, noLock);

    expect(files()).toEqual([]);
  });

  it('whileLocked waits while another command takes over the lock of a killed process', async (test) => {
    const { file, files } = withStaleLock(test);
    const order: string[] = [];
    writeFileSync(`${file}.lock.stale`, '');
    const waiting = whileLocked(file, signal, async () => order.push('second'), noLock);
    await aMoment();
    rmSync(`${file}.lock`);
    writeFileSync(`${file}.lock`, '');
    rmSync(`${file}.lock.stale`);
    await aMoment();
    order.push('first');
    rmSync(`${file}.lock`);
    await waiting;

    expect([order, files()]).toEqual([['first', 'second'], []]);
  });

  it('whileLocked takes over from a process that was killed while it took over', async (test) => {
    const { file, files } = withStaleLock(test);
    leave(`${file}.lock.stale`);
    await whileLocked(file, signal, async () => {}, noLock);

    expect(files()).toEqual([]);
  });

  it('whileLocked leaves the lock of a command that took over in the meantime', async (test) => {
    const file = join(directory(test), 'token.json');
    const takeOver = async () => {
      rmSync(`${file}.lock`);
      writeFileSync(`${file}.lock`, 'another command');
    };
    await whileLocked(file, signal, takeOver, noLock);

    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('another command');
  });

  it('whileLocked runs nothing when there can be no lock, and nothing after an interrupt', async (test) => {
    const file = join(directory(test), 'missing', 'token.json');
    const run = (signal: AbortSignal) =>
      whileLocked<unknown>(
        file,
        signal,
        async () => 'ran',
        (error) => error,
      );

    expect(await run(signal)).toMatchObject({ code: 'ENOENT' });
    expect(await run(AbortSignal.abort())).toBeUndefined();
  });
});
