import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Runs the check in this repository. Returns the reasons for which it refuses a release. */
const refusals = (env: Readonly<Record<string, string>>): string => {
  const file = fileURLToPath(new URL('release-check.ts', import.meta.url));
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const { NPM_CONFIG_PROVENANCE: _, npm_config_provenance: __, ...inherited } = process.env;
  return spawnSync(process.execPath, [file], { cwd, env: { ...inherited, ...env }, encoding: 'utf8' }).stderr;
};

it('a release without provenance is refused', () => {
  const refusal = 'Not published: NPM_CONFIG_PROVENANCE is not true.';

  expect(refusals({})).toContain(refusal);
  expect(refusals({ NPM_CONFIG_PROVENANCE: 'false' })).toContain(refusal);
  expect(refusals({ NPM_CONFIG_PROVENANCE: 'true' })).not.toContain('NPM_CONFIG_PROVENANCE');
  expect(refusals({ npm_config_provenance: 'true' })).not.toContain('NPM_CONFIG_PROVENANCE');
});
