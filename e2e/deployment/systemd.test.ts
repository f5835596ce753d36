import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled, toolEnvironment } from './installed-tool.ts';
import { projectFile } from '../project-file.ts';

const unit = projectFile('docs/deploy/portico.service');
const template = projectFile('docs/deploy/portico@.service');
const valuesIn = (text: string, name: string) =>
  Array.from(text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value]) => value);
const valuesOf = (name: string) => valuesIn(unit, name);

const settingsIn = (text: string) => text.split('\n').filter((line) => /^\w+=/.test(line));

describe('the template unit for several processes', () => {
  it('differs from the unit of one process in the user, the metrics port and the description only', () => {
    const one = settingsIn(unit);
    const several = settingsIn(template);

    expect(several.filter((line) => !one.includes(line))).toEqual([
      'Description=Portico, process %i',
      'Environment=METRICS_PORT=909%i',
      'User=portico',
    ]);
    expect(one.filter((line) => !several.includes(line))).toEqual(['Description=Portico']);
  });
});

describe('the systemd unit', () => {
  it('reads the settings file that systemd hands to it', () => {
    const [credential = ''] = valuesOf('LoadCredential');
    const [name = ''] = credential.split(':');
    expect(valuesOf('ExecStart')).toEqual([expect.stringMatching(new RegExp(` serve --config %d/${name}$`))]);
  });

  it('has the names of the credentials that its comments and the page use in the settings', () => {
    for (const text of [unit, template, projectFile('docs/how-to/systemd.md')]) {
      const names = Array.from(
        text.matchAll(/"file": "\/run\/credentials\/portico(?:@1)?\.service\/(.+?)"/g),
        ([, name]) => name,
      );
      expect(names).not.toEqual([]);
      for (const name of names) expect(text).toContain(`LoadCredential=${name}:/etc/portico/${name}`);
    }
  });

  it('gives the service time for its searches after SIGTERM', () => {
    const { connections } = JSON.parse(projectFile('docs/deploy/settings.json')) as {
      readonly connections: { readonly drainDelayMs: number };
    };
    expect(Number(valuesOf('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(connections.drainDelayMs + 10_000 + 1000);
  });

  it('does not restart after an error in the settings', () => {
    expect([valuesOf('Restart'), valuesOf('RestartPreventExitStatus')]).toEqual([['on-failure'], ['2']]);
  });
});

describe.skipIf(!isInstalled('systemd-analyze')).each([
  ['the systemd unit', unit, 'portico.service'],
  ['the template unit', template, 'portico@1.service'],
])('%s, by systemd-analyze,', (title, text, name) => {
  let folder: string;
  let file: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-systemd-'));
    file = join(folder, name);
    // The program has to exist where the unit is verified.
    writeFileSync(file, text.replace('/usr/bin/node', process.execPath));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const analyze = (...args: readonly string[]) =>
    spawnSync('systemd-analyze', [...args, file], { env: toolEnvironment, encoding: 'utf8' });

  it(`${title}, by systemd-analyze, has no mistake and no unknown setting`, () => {
    const { status, stdout, stderr } = analyze('verify', '--man=no');
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it('exposes little of the system', () => {
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=20', '--no-pager');
    // An exposure of at most 2.0 of 10.
    expect(status, stdout).toBe(0);
  });
});
