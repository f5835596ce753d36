import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { variables } from '@portico/cli/internals';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configCheck } from './config-check.ts';
import { instructionsOf } from './dockerfile.ts';
import { isInstalled, toolEnvironment } from './installed-tool.ts';
import { project, projectFile } from '../project-file.ts';

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly init?: boolean;
  readonly command?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const folder = join(project, 'docs/deploy');
const { services } = parse(projectFile('docs/deploy/compose.yaml')) as {
  readonly services: Readonly<Record<string, Service>>;
};
const portico = services['portico'] ?? {};
const environment = portico.environment ?? {};
const mounts = Object.values(services).flatMap(({ volumes = [] }) =>
  volumes.map((volume) => {
    const [source = '', target = '', mode] = volume.split(':');
    return { source, target, mode };
  }),
);
const targetOf = (source: string) => mounts.find((mount) => mount.source === source)?.target;

describe('the compose file', () => {
  it('mounts only files that are in the project, and read-only', () => {
    for (const { source, mode } of mounts) {
      expect(existsSync(join(folder, source)), source).toBe(true);
      expect(mode, source).toBe('ro');
    }
  });

  it('builds the Dockerfile of the project, and names a version of every other image', () => {
    const { context = '', dockerfile = '' } = portico.build ?? {};
    expect(join(resolve(folder, context), dockerfile)).toBe(join(folder, 'Dockerfile'));
    for (const [name, { image, build }] of Object.entries(services))
      expect(build === undefined ? image : 'built:0', name).toMatch(/:v?\d/);
  });

  it('mounts the settings where the image reads them', () => {
    const command = instructionsOf(projectFile('docs/deploy/Dockerfile')).find(({ name }) => name === 'CMD')?.text;
    expect(JSON.parse(command ?? '')).toEqual(['serve', '--config', targetOf('./settings.json')]);
  });

  it('the compose file has settings and variables that Portico accepts', async () => {
    const known = new Set(variables.map(({ env }) => env));
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    expect(await configCheck(projectFile('docs/deploy/settings.json'), environment)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    'docs/deploy/compose.yaml',
    'packages/create-portico/templates/serve/compose.yaml',
    'packages/create-portico/templates/network/compose.yaml',
  ])('%s does not run Portico as process 1, which ignores signals until it handles them', (path) => {
    expect(parse(projectFile(path))).toMatchObject({ services: { portico: { init: true } } });
  });

  it('gives an instance time for its searches after SIGTERM', () => {
    const { connections } = JSON.parse(projectFile('docs/deploy/settings.json')) as {
      readonly connections: { readonly drainDelayMs: number };
    };
    const [, seconds] = /^(\d+)s$/.exec(portico.stop_grace_period ?? '') ?? [];
    const searchMs = Number(environment['SEARCH_TIMEOUT_MS']) + 1000;
    expect(Number(seconds) * 1000).toBeGreaterThan(connections.drainDelayMs + searchMs);
  });

  it('keeps idle connections for longer than Caddy, whose requests would otherwise meet a closed connection', () => {
    const { connections } = JSON.parse(projectFile('docs/deploy/settings.json')) as {
      readonly connections: { readonly keepAliveTimeoutMs: number };
    };
    expect(connections.keepAliveTimeoutMs).toBeGreaterThan(120_000);
  });

  it('sends requests to the port that Portico listens on', () => {
    expect(services['balancer']?.command).toContain(`--to portico:${environment['PORT']}`);
    expect(portico.healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${environment['PORT']}/readyz`);
    for (const { depends_on = [] } of Object.values(services))
      for (const name of depends_on) expect(Object.keys(services)).toContain(name);
  });
});

describe('Prometheus in the compose file', () => {
  const { rule_files, scrape_configs } = parse(projectFile('docs/deploy/prometheus.yaml')) as {
    readonly rule_files: readonly string[];
    readonly scrape_configs: readonly object[];
  };

  it('scrapes every instance, as the job that the alerts name', () => {
    const port = Number(environment['METRICS_PORT']);
    expect(environment['METRICS_HOST']).toBe('0.0.0.0');
    expect(scrape_configs).toMatchObject([
      { job_name: 'portico', dns_sd_configs: [{ names: ['portico'], type: 'A', port }] },
    ]);
    expect(projectFile('docs/deploy/alerts.yaml')).toContain('up{job="portico"}');
  });

  it('loads the alerts', () => {
    const configured = targetOf('./prometheus.yaml') ?? '';
    expect(rule_files.map((name) => resolve(configured, '..', name))).toEqual([targetOf('./alerts.yaml')]);
  });

  it.skipIf(!isInstalled('promtool'))(
    'Prometheus in the compose file has a configuration that promtool accepts',
    () => {
      const options = { env: toolEnvironment, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(
        'promtool',
        ['check', 'config', join(folder, 'prometheus.yaml')],
        options,
      );
      expect(status, stdout + stderr).toBe(0);
    },
  );
});

describe('Grafana in the compose file', () => {
  it('Grafana in the compose file has Prometheus as its data source, and the dashboard where it looks for dashboards', () => {
    expect(targetOf('./grafana/datasource.yaml')).toMatch(/^\/etc\/grafana\/provisioning\/datasources\//);
    expect(targetOf('./grafana/dashboards.yaml')).toMatch(/^\/etc\/grafana\/provisioning\/dashboards\//);
    expect(parse(projectFile('docs/deploy/grafana/datasource.yaml'))).toMatchObject({
      datasources: [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }],
    });
    const { providers } = parse(projectFile('docs/deploy/grafana/dashboards.yaml')) as {
      readonly providers: readonly { readonly options: { readonly path: string } }[];
    };
    expect(providers.map(({ options: { path } }) => path)).toEqual([
      resolve(targetOf('./grafana-dashboard.json') ?? '', '..'),
    ]);
  });

  it('Grafana in the compose file has no administrator with a default password', () => {
    expect(services['grafana']?.environment).toMatchObject({ GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true' });
  });
});
