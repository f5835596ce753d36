import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { start, urlOf } from '../child-process.ts';
import type { Command } from '../command.ts';
import { porticoCommand } from '../portico.ts';
import { legSettings } from '../portico-settings.ts';
import { report, requirement } from '../requirements.ts';
import { median } from '../statistics.ts';
import { memberSettings } from './contenders/start-contender.ts';
import { issueTokens } from './load/access-tokens.ts';
import type { Row } from '../records/record.ts';
import { processorTime } from './load/process-usage.ts';

const rounds = 10;
const portico = fileURLToPath(porticoCommand);

interface Measured {
  readonly ms: number;
  /** Processor time of all threads in milliseconds; NaN for a command that has ended. */
  readonly processorMs: number;
}

interface Subject {
  readonly name: string;
  readonly limitMs: number;
  readonly measure: () => Promise<Measured>;
}

/** Measures until the process exits. */
const untilExit = (args: readonly string[]) => async (): Promise<Measured> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}`);
  return { ms: performance.now() - startedAt, processorMs: Number.NaN };
};

/** Waits until the server is ready, then reads the coverage of a member. */
const firstResponse = async (url: string, token: string): Promise<void> => {
  const statusOf = async (path: string) => {
    const { statusCode, body } = await request(url + path, { headers: { authorization: `Bearer ${token}` } });
    await body.dump();
    return statusCode;
  };
  while ((await statusOf('/readyz')) !== 200);
  const status = await statusOf('/me/coverage');
  if (status !== 200) throw new Error(`/me/coverage returned ${status}.`);
};

/** Measures `portico serve` until it listens, or until it has responded to the first member. */
const untilServing = (config: string, token?: string) => async (): Promise<Measured> => {
  const startedAt = performance.now();
  const args = [portico, 'serve', '--config', config, '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  if (token !== undefined) await firstResponse((JSON.parse(line.toString()) as { url: string }).url, token);
  const measured = { ms: performance.now() - startedAt, processorMs: processorTime(child.pid!) };
  child.kill('SIGTERM');
  await once(child, 'exit');
  return measured;
};

const prepareSubjects = async (folder: string): Promise<readonly Subject[]> => {
  const { jwks, tokens } = await issueTokens(1);
  const downstream = await start(new URL('load/downstream.ts', import.meta.url), { args: [jwks] });
  const config = join(folder, 'settings.json');
  const leg = legSettings('http://127.0.0.1:1', 'http://127.0.0.1:1');
  const search = { legs: { moa: leg, mh: leg } };
  writeFileSync(config, JSON.stringify({ ...memberSettings(urlOf(downstream)), search, log: { level: 'silent' } }));
  return [
    { name: 'node -e 0', limitMs: Infinity, measure: untilExit(['-e', '0']) },
    { name: 'portico --version', limitMs: 150, measure: untilExit([portico, '--version']) },
    { name: 'portico --help', limitMs: 150, measure: untilExit([portico, '--help']) },
    {
      name: 'portico me claims list --help',
      limitMs: 150,
      measure: untilExit([portico, 'me', 'claims', 'list', '--help']),
    },
    { name: 'portico serve, listening', limitMs: 250, measure: untilServing(config) },
    { name: 'portico serve, first response', limitMs: 250, measure: untilServing(config, tokens[0]) },
  ];
};

/**
 * Start-up time of the built command, and of `portico serve` until it listens and until the first member has a response,
 * compared with an empty Node script. Medians of ten rounds in which all take turns. On a busy machine, compare the
 * processor times.
 */
export const startUp: Command = async (_, folder) => {
  const subjects = (await prepareSubjects(folder)).map((subject) => ({ ...subject, measured: [] as Measured[] }));
  for (let round = 0; round < rounds; round++)
    for (const { measure, measured } of subjects) measured.push(await measure());
  const results = subjects.map(({ name, limitMs, measured }) => ({
    name,
    limitMs,
    ms: median(measured.map(({ ms }) => ms)),
    processorMs: median(measured.map(({ processorMs }) => processorMs)),
    rounds: measured,
  }));
  const bareMs = results[0]!.ms;
  const rows = results.map(({ name, ms, processorMs }) => [
    name,
    ms.toFixed(0),
    (ms / bareMs).toFixed(1),
    Number.isNaN(processorMs) ? '' : processorMs.toFixed(0),
  ]);
  const requirements = results
    .filter(({ limitMs }) => limitMs < Infinity)
    .map(({ name, limitMs, ms }) => requirement(`${name}, ms`, ms.toFixed(0), ms < limitMs, `under ${limitMs}`));
  const table = [['command', 'ms', 'relative to an empty script', 'processor time, ms'], ...rows];
  // The processor time, because it hardly depends on other work on the machine.
  const records: readonly Row[] = results.map(({ name, ms, processorMs, rounds: measured }) => {
    const hasEnded = Number.isNaN(processorMs);
    return {
      title: name,
      unit: hasEnded ? 'ms' : 'ms of processor time',
      own: hasEnded ? ms : processorMs,
      rounds: { own: measured.map((one) => (hasEnded ? one.ms : one.processorMs)), other: [] },
    };
  });
  return report('start-up', {
    requirements,
    table,
    summary: `Medians of ${rounds} rounds.`,
    data: { rows: records, results },
  });
};
