/**
 * How long the built command takes to answer `--help` and `--version`, and `portico serve` until it listens with both
 * halves, beside a Node that does nothing: medians of 10 rounds in which all take turns. Run it on an idle machine:
 * `npm run bench:start-up`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rounds = 10;
const portico = fileURLToPath(new URL('../../packages/cli/bin/portico.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
const config = join(folder, 'settings.json');

const services = ['eligibility', 'claims', 'documents', 'policy', 'notifications', 'consent'];
const leg = {
  label: 'A network',
  domain: 'retail',
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'health',
  bapId: 'bap.example',
  bapUri: 'http://127.0.0.1:1',
  gatewayUrl: 'http://127.0.0.1:1',
};
writeFileSync(
  config,
  JSON.stringify({
    identity: { issuer: 'http://127.0.0.1:1/realms/bench' },
    downstreams: Object.fromEntries(services.map((name) => [name, { url: 'http://127.0.0.1:1' }])),
    search: { legs: { moa: leg, mh: leg } },
    log: { level: 'silent' },
  }),
);

/** Milliseconds until the process ends or, for a server, until it says on stdout that it listens. */
const time = async (args: readonly string[], isServer = false): Promise<number> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (isServer) await once(child.stdout, 'data');
  else child.stdout.resume();
  const ended = once(child, 'exit');
  if (!isServer) await ended;
  const elapsed = performance.now() - startedAt;
  if (isServer) child.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return elapsed;
};

const subjects = [
  { name: 'node -e 0', limitMs: undefined, run: () => time(['-e', '0']) },
  { name: 'portico --version', limitMs: 150, run: () => time([portico, '--version']) },
  { name: 'portico --help', limitMs: 150, run: () => time([portico, '--help']) },
  { name: 'portico me claims list --help', limitMs: 150, run: () => time([portico, 'me', 'claims', 'list', '--help']) },
  {
    name: 'portico serve, listening',
    limitMs: 600,
    run: () => time([portico, 'serve', '--config', config, '--port', '0'], true),
  },
];

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
};

try {
  const times = subjects.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, { run }] of subjects.entries()) times[index]?.push(await run());
  const [bare = 0] = times.map(median);
  for (const [index, { name, limitMs }] of subjects.entries()) {
    const ms = median(times[index] ?? []);
    const verdict = limitMs === undefined ? '' : `  wanted: under ${limitMs} ms  ${ms < limitMs ? 'held' : 'MISSED'}`;
    process.stdout.write(
      `${name.padEnd(30)} ${ms.toFixed(0).padStart(5)} ms  ${(ms / bare).toFixed(1).padStart(5)} × bare node${verdict}\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
