import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../command.ts';
import { porticoCommand } from '../portico.ts';
import { legSettings, serviceNames } from '../portico-settings.ts';
import { report, requirement } from '../requirements.ts';
import { median } from '../statistics.ts';

const rounds = 10;
const portico = fileURLToPath(porticoCommand);

const unusedUrl = 'http://127.0.0.1:1';
const leg = legSettings(unusedUrl, unusedUrl);
const settings = {
  identity: { issuer: `${unusedUrl}/realms/bench` },
  downstreams: Object.fromEntries(serviceNames.map((name) => [name, { url: unusedUrl }])),
  search: { legs: { moa: leg, mh: leg } },
  log: { level: 'silent' },
};

/** Milliseconds until the process exits or, for a server, until it reports on stdout that it is listening. */
const time = async (args: readonly string[], isServer: boolean): Promise<number> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (isServer) await once(child.stdout, 'data');
  else child.stdout.resume();
  const exited = once(child, 'exit');
  if (!isServer) await exited;
  const elapsed = performance.now() - startedAt;
  if (isServer) child.kill('SIGTERM');
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}`);
  return elapsed;
};

/**
 * Start-up time of the built command, and of `portico serve` until it listens, compared with an empty Node script. Medians of
 * ten rounds in which all take turns. Run it on an idle machine.
 */
export const startUp: Command = async (_, folder) => {
  const config = join(folder, 'settings.json');
  writeFileSync(config, JSON.stringify(settings));
  const serve = [portico, 'serve', '--config', config, '--port', '0'];
  const subjects = [
    { name: 'node -e 0', limitMs: Infinity, args: ['-e', '0'] },
    { name: 'portico --version', limitMs: 150, args: [portico, '--version'] },
    { name: 'portico --help', limitMs: 150, args: [portico, '--help'] },
    { name: 'portico me claims list --help', limitMs: 150, args: [portico, 'me', 'claims', 'list', '--help'] },
    { name: 'portico serve, listening', limitMs: 600, args: serve },
  ].map((subject) => ({ ...subject, times: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const { args, times } of subjects) times.push(await time(args, args === serve));
  const bareMs = median(subjects[0]!.times);
  const results = subjects.map(({ name, limitMs, times }) => ({ name, limitMs, ms: median(times) }));
  const rows = results.map(({ name, ms }) => [name, ms.toFixed(0), (ms / bareMs).toFixed(1)]);
  const requirements = results
    .filter(({ limitMs }) => limitMs < Infinity)
    .map(({ name, limitMs, ms }) => requirement(`${name}, ms`, ms.toFixed(0), ms < limitMs, `under ${limitMs}`));
  const table = [['command', 'ms', 'relative to an empty script'], ...rows];
  return report('start-up', { requirements, table, summary: `Medians of ${rounds} rounds.`, data: { results } });
};
