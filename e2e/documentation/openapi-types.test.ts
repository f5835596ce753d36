import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openApiDocument } from '@portico/adapters-koa';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, it, onTestFinished } from 'vitest';

// The compiler of the project. `openapi-typescript` has its own, older one.
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/** The errors of the compiler for a program that uses the generated types, as `line: message`. */
const errorsOf = async (program: string): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-types-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(openApiDocument() as unknown as OpenAPI3)));
  const file = join(folder, 'program.ts');
  await writeFile(file, program);
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--lib',
    'es2024',
    '--allowImportingTsExtensions',
    '--ignoreConfig',
  ];
  const run = promisify(execFile)(process.execPath, [tsc, ...options, '--pretty', 'false', file], { cwd: folder });
  const output = await run.then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
  return [...output.matchAll(/program\.ts\((\d+),.*(TS\d+)/g)].map(([, line, code]) => `${line}: ${code}`);
};

const responses = ['coverage', 'accumulators', 'claims', 'claims/{locator}', 'documents', 'profile', 'preferences']
  .concat('notifications', 'notifications/log', 'consent')
  .map((name) => `  IsUntyped<Body<'/me/${name}'>>,`);

const correct = `import type { components, paths } from './api.ts';
type Schemas = components['schemas'];
type Body<Path extends keyof paths> = paths[Path] extends { get: { responses: { 200: { content: { 'application/json': infer Type } } } } } ? Type : never;
type IsUntyped<Type> = [Type] extends [never] ? true : unknown extends Type ? true : false;
export const untyped: [
${responses.join('\n')}
] = [${responses.map(() => 'false').join(', ')}];
export const coverage: Body<'/me/coverage'> = { status: 'active', plan: { name: 'Sample' }, terminationDate: null };
export const claims: Body<'/me/claims'> = { claims: [{ locator: 'CLM-1', billedAmount: 1, serviceLines: [{ units: 1 }] }] };
export const names = (claim: Schemas['Claim']): string | undefined => claim.provider?.name;
`;

const wrong = `export const wrongStatus: Schemas['Coverage'] = { status: 1 };
export const wrongPlan: Schemas['Coverage'] = { plan: 'PPO' };
export const wrongAmount: Schemas['Claim'] = { billedAmount: '120.00' };
export const wrongName = (coverage: Body<'/me/coverage'>) => coverage.plann;
export const wrongLine = (claim: Schemas['Claim']): number | undefined => claim.serviceLines?.[0]?.description;
export const wrongPreference: Schemas['Preferences'] = { email: true };
`;

it('types that openapi-typescript generates are known for every relayed response, accept its fields, and reject wrong types and names', async () => {
  const first = correct.split('\n').length;
  expect(await errorsOf(correct + wrong)).toEqual(
    ['TS2322', 'TS2559', 'TS2322', 'TS2551', 'TS2322', 'TS2739'].map((code, index) => `${first + index}: ${code}`),
  );
});
