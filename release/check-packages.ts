import { execFileSync } from 'node:child_process';
import { published } from './packages.ts';

/** What would be published, as bundlers (publint) and TypeScript (attw) will see it. We are ES modules only. */
const check = (command: string, ...rest: readonly string[]): boolean => {
  try {
    execFileSync(command, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return true;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    console.error(`${command} ${rest.join(' ')}\n${stdout}${stderr}`);
    return false;
  }
};

const folders = published.map((name) => name.replace('@portico/', 'packages/'));
const results = folders.flatMap((folder) => [
  check('publint', 'run', folder, '--strict'),
  check('attw', '--pack', folder, '--profile', 'esm-only', '--no-emoji'),
]);
if (!results.every(Boolean)) process.exit(1);
console.log(`${folders.length} packages are as publint and attw want them.`);
