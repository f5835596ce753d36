import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openApiDocument } from '@portico/adapters-koa';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// The compiler of the project. `openapi-typescript` has its own, older one.
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-types-'));
  await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(openApiDocument() as unknown as OpenAPI3)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The errors of the compiler for a program that uses the generated types, as `line: message`. */
const errorsOf = async (program: string): Promise<readonly string[]> => {
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

const imports = `import type { components, paths } from './api.ts';
type Schemas = components['schemas'];
type Body<Path extends keyof paths> = paths[Path] extends { get: { responses: { 200: { content: { 'application/json': infer Type } } } } } ? Type : never;
type IsUntyped<Type> = [Type] extends [never] ? true : unknown extends Type ? true : false;
`;

describe('types that openapi-typescript generates', () => {
  it('types that openapi-typescript generates are not unknown for any relayed response', async () => {
    const responses = ['coverage', 'accumulators', 'claims', 'claims/{locator}', 'documents', 'profile', 'preferences']
      .concat('notifications', 'notifications/log', 'consent')
      .map((name) => `  IsUntyped<Body<'/me/${name}'>>,`);
    const none = responses.map(() => 'false').join(', ');
    const program = `${imports}export const untyped: [\n${responses.join('\n')}\n] = [${none}];\n`;
    expect(await errorsOf(program)).toEqual([]);
  });

  it('accept the fields of a response and reject wrong types and names', async () => {
    const program = `${imports}
export const coverage: Body<'/me/coverage'> = { status: 'active', plan: { name: 'Sample' }, terminationDate: null };
export const claims: Body<'/me/claims'> = { claims: [{ locator: 'CLM-1', billedAmount: 1, serviceLines: [{ units: 1 }] }] };
export const names = (claim: Schemas['Claim']): string | undefined => claim.provider?.name;
export const wrongStatus: Schemas['Coverage'] = { status: 1 };
export const wrongPlan: Schemas['Coverage'] = { plan: 'PPO' };
export const wrongAmount: Schemas['Claim'] = { billedAmount: '120.00' };
export const wrongName = (coverage: Body<'/me/coverage'>) => coverage.plann;
export const wrongLine = (claim: Schemas['Claim']): number | undefined => claim.serviceLines?.[0]?.description;
export const wrongPreference: Schemas['Preferences'] = { email: true };
`;
    const first = imports.split('\n').length + 4;
    expect(await errorsOf(program)).toEqual(
      ['TS2322', 'TS2559', 'TS2322', 'TS2551', 'TS2322', 'TS2739'].map((code, index) => `${first + index}: ${code}`),
    );
  });
});
