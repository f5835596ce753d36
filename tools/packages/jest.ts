import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The script in the section about Jest. */
const page = readFileSync('docs/how-to/write-an-adapter.md', 'utf8');
const script = /"test": "(.*jest)"/.exec(page)?.[1];

const suite = `import { aMember, claimsContract, fakeClaims } from '@portico/core/testing';

claimsContract({ describe, it }, () => ({
  claims: fakeClaims({ 'PTY-1': [{ locator: 'CLM-1' }], 'PTY-2': [] }),
  member: aMember('PTY-1'),
  claim: 'CLM-1',
  other: aMember('PTY-2'),
  unknown: aMember('PTY-3'),
  unmatched: [['status', 'denied']],
}));
`;

/** Runs a contract suite in Jest with its default configuration, as the how-to describes. */
export const runSuiteInJest = async (
  project: string,
  run: (directory: string, command: string, ...rest: readonly string[]) => Promise<string>,
): Promise<void> => {
  if (script === undefined) throw new Error('The how-to has no script for Jest.');
  await run(project, 'npm', 'install', '--no-audit', '--no-fund', 'jest@30');
  const packageFile = join(project, 'package.json');
  const { type: _, ...installed } = JSON.parse(readFileSync(packageFile, 'utf8')) as Readonly<Record<string, unknown>>;
  writeFileSync(packageFile, JSON.stringify({ ...installed, scripts: { test: script } }));
  writeFileSync(join(project, 'claims.test.mjs'), suite);
  await run(project, 'npm', 'test');
};
