import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Holding } from './inside.ts';

const cli = fileURLToPath(new URL('../../../packages/cli/bin/portico.js', import.meta.url));
const inside = new URL('inside.ts', import.meta.url).href;
const running = new Set<ChildProcess>();

export const endServed = (): void => {
  for (const child of running) child.kill('SIGKILL');
};

/** One life of `portico serve` as it ships. */
export interface Served {
  holding(): Promise<Holding>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<{ readonly exitCode: number | null; readonly tookMs: number }>;
}

export const logIn = (folder: string): string => join(folder, 'portico.log');

/** Its settings, and its log, are in this folder. */
export const serve = async (settings: object, folder: string): Promise<Served> => {
  const file = join(folder, 'portico.json');
  writeFileSync(file, JSON.stringify(settings));
  // Not a pipe: Portico would wait for us to read it.
  const log = openSync(logIn(folder), 'a');
  const child = spawn(process.execPath, ['--expose-gc', '--import', inside, cli, 'serve', '--json', '--config', file], {
    stdio: ['ignore', 'pipe', log, 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', LOG_LEVEL: 'info' },
  });
  closeSync(log);
  running.add(child);
  const gone = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const unlessGone = async (event: Promise<readonly unknown[]>): Promise<unknown> => {
    const first = await Promise.race([event, gone]);
    if (!Array.isArray(first))
      throw new Error(`portico serve ended by itself: ${readFileSync(logIn(folder), 'utf8').slice(-2000)}`);
    return first[0];
  };
  await unlessGone(once(createInterface({ input: child.stdout! }), 'line'));

  return {
    holding: async () => {
      child.send({}, () => {});
      return (await unlessGone(once(child, 'message'))) as Holding;
    },
    stop: async () => {
      const askedAt = performance.now();
      child.kill('SIGTERM');
      return { exitCode: await gone, tookMs: performance.now() - askedAt };
    },
  };
};
