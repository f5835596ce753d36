import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from '@portico/demo/ports';
import { isInstalled, toolEnvironment } from '../deployment/installed-tool.ts';

export const hasPrometheus = ['prometheus', 'promtool'].every(isInstalled);

/** A sample of an instant query. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** The state of an alerting rule. */
interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
  readonly lastError?: string;
}

export interface Prometheus {
  /** Runs an instant query. Throws if the expression is not valid. */
  query(expression: string): Promise<readonly Sample[]>;
  rules(): Promise<readonly Rule[]>;
  stop(): Promise<void>;
}

/** Starts a Prometheus on loopback that scrapes one instance every 200 ms, under the job name of the documentation. */
export const startPrometheus = async (target: string, ruleFile: string): Promise<Prometheus> => {
  const directory = await mkdtemp(join(tmpdir(), 'portico-prometheus-'));
  const config = {
    global: { scrape_interval: '200ms', scrape_timeout: '200ms', evaluation_interval: '200ms' },
    rule_files: [ruleFile],
    scrape_configs: [{ job_name: 'portico', static_configs: [{ targets: [target] }] }],
  };
  await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(config));
  const address = `127.0.0.1:${await reservePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { env: toolEnvironment, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(child);
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    const { data, error } = (await response.json()) as { readonly data: unknown; readonly error?: string };
    if (error !== undefined) throw new Error(`${path}: ${error}`);
    return data;
  };
  return {
    query: async (expression) =>
      ((await get(`query?query=${encodeURIComponent(expression)}`)) as { readonly result: readonly Sample[] }).result,
    rules: async () =>
      ((await get('rules')) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }).groups.flatMap(
        ({ rules }) => rules,
      ),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
      await rm(directory, { recursive: true });
    },
  };
};

/** Resolves when Prometheus accepts queries. Rejects if it exits before. */
const ready = ({ stderr }: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let text = '';
    stderr!.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.includes('Server is ready to receive web requests')) resolve();
    });
    stderr!.once('end', () => reject(new Error(`prometheus did not start: ${text}`)));
  });
