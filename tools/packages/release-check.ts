import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { folderOf, published } from './published.ts';

/**
 * Runs before `changeset publish` and refuses what cannot be undone later: publishing uncommitted files, changesets that
 * no version includes, or packages without provenance. npm provenance needs a `repository` in every package and the
 * identity token (OpenID Connect) of a CI service.
 */
const withoutRepository = published.filter((name) => {
  const file = readFileSync(`${folderOf(name)}/package.json`, 'utf8');
  return !('repository' in (JSON.parse(file) as object));
});
// npm accepts the name in both cases, and passes it on to its scripts in lower case.
const hasProvenance = [process.env['NPM_CONFIG_PROVENANCE'], process.env['npm_config_provenance']].includes('true');
const hasIdentityToken = Boolean(process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? process.env['SIGSTORE_ID_TOKEN']);

const checks: readonly (readonly [isRefused: boolean, why: string])[] = [
  [
    execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }) !== '',
    'there are uncommitted changes in the working tree.',
  ],
  [withoutRepository.length > 0, `no "repository" in the package.json of ${withoutRepository.join(', ')}.`],
  [
    readdirSync('.changeset').some((name) => name.endsWith('.md')),
    'there are changesets that no version includes. Run `npx changeset version` first.',
  ],
  [!hasProvenance, 'NPM_CONFIG_PROVENANCE is not true.'],
  [!hasIdentityToken, 'no identity token: publish from CI.'],
];

const problems = checks.filter(([isRefused]) => isRefused);
for (const [, why] of problems) console.error(`Not published: ${why}`);
process.exit(problems.length > 0 ? 1 : 0);
