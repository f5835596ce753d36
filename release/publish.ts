import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { billOfMaterials, published } from './packages.ts';

/**
 * Publishes every package with a statement of where it was built (npm provenance), after everything that must hold was
 * seen to hold. Provenance needs a CI that vouches for the build by OpenID Connect: elsewhere only `--dry-run` works.
 */
const isDryRun = process.argv.includes('--dry-run');
const run = (command: string, ...rest: readonly string[]): void => {
  console.error(`> ${command} ${rest.join(' ')}`);
  execFileSync(command, rest, { stdio: 'inherit' });
};
const refuse = (why: string): never => {
  console.error(`Not published: ${why}`);
  process.exit(1);
};

if (execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }) !== '')
  refuse('there are changes that were not committed.');
const homeless = published.filter((name) => {
  const file = readFileSync(`${name.replace('@portico/', 'packages/')}/package.json`, 'utf8');
  return !('repository' in (JSON.parse(file) as object));
});
// The registry compares it with what the statement says, and refuses a package that has none.
if (!isDryRun && homeless.length > 0) refuse(`no repository in the package.json of ${homeless.join(', ')}.`);
if (!isDryRun && readdirSync('.changeset').some((name) => name.endsWith('.md')))
  refuse('there are changesets that no version has taken up; npm run release:version.');
if (!isDryRun && !process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] && !process.env['SIGSTORE_ID_TOKEN'])
  refuse('no identity token of a CI; try --dry-run here.');
run('npm', 'run', 'build');
run('npm', 'run', 'check');
run('npm', 'test');
run('npm', 'run', 'newcomer');
if (!isDryRun) run('npm', 'audit', '--omit=dev');
writeFileSync('sbom.cdx.json', billOfMaterials());
console.error('> sbom.cdx.json: to be attached to the release');
for (const name of published)
  run('npm', 'publish', `--workspace=${name}`, '--access=public', isDryRun ? '--dry-run' : '--provenance');
