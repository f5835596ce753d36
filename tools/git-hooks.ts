import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Part of `npm ci`: makes git run the hooks in .githooks. Does nothing in CI, outside a git checkout (an unpacked tarball),
 * without git, or if another folder for hooks is set.
 */
const isCheckout = existsSync('.git') && spawnSync('git', ['--version']).status === 0;
if (isCheckout && !process.env['CI']) {
  const { status } = spawnSync('git', ['config', '--get', 'core.hooksPath']);
  if (status === 1) execFileSync('git', ['config', 'core.hooksPath', '.githooks']);
}
