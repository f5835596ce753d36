import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled, toolEnvironment } from './installed-tool.ts';
import { projectFile } from './project-file.ts';

const unit = projectFile('docs/deploy/portico.service');
const valuesOf = (name: string) => Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value]) => value);

describe('the systemd unit', () => {
  it('reads the settings file that systemd hands to it', () => {
    const [credential = ''] = valuesOf('LoadCredential');
    const [name = ''] = credential.split(':');
    expect(valuesOf('ExecStart')).toEqual([expect.stringMatching(new RegExp(` serve --config %d/${name}$`))]);
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

describe.skipIf(!isInstalled('systemd-analyze'))('the systemd unit, by systemd-analyze,', () => {
  let folder: string;
  let file: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-systemd-'));
    file = join(folder, 'portico.service');
    // The program has to exist where the unit is verified.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const analyze = (...args: readonly string[]) =>
    spawnSync('systemd-analyze', [...args, file], { env: toolEnvironment, encoding: 'utf8' });

  it('the systemd unit, by systemd-analyze, has no mistake and no unknown setting', () => {
    const { status, stdout, stderr } = analyze('verify', '--man=no');
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it('exposes little of the system', () => {
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=20', '--no-pager');
    // An exposure of at most 2.0 of 10.
    expect(status, stdout).toBe(0);
  });
});
