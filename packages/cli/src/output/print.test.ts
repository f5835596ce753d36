import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactValue } from './print.ts';
import { fileWith, memberSetup, portico } from '../program/binary.test.support.ts';

const exact = (text: string) => exactValue({ text, value: JSON.parse(text) as unknown });

it.each([
  ['12345678901234567890', '12345678901234567890'],
  ['-12345678901234567890', '-12345678901234567890'],
  ['9007199254740993', '9007199254740993'],
  ['0.12345678901234567890', '0.12345678901234567890'],
  ['1e400', '1e400'],
  ['9007199254740991', 9_007_199_254_740_991],
  ['84.50', 84.5],
  ['84.500000000000000000', 84.5],
  ['1E2', 100],
  ['100000000000000000000', 1e20],
  ['-0', -0],
  ['0.1', 0.1],
  ['1.5e-7', 1.5e-7],
  ['0.0', 0],
  ['0.00', 0],
  ['100.0', 100],
])('exactValue shows %s with all its digits', (text, value) => {
  expect(exact(text)).toBe(value);
  expect(exact(`{"a":[${text}]}`)).toEqual({ a: [value] });
});

it('exactValue shows a number with a million digits', () => {
  const number = `1${'0'.repeat(500_000)}1${'0'.repeat(500_000)}`;
  expect(exact(number)).toBe(number);
});

it('exactValue does not change JSON whose numbers JavaScript can represent', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(exact(text)).toEqual(JSON.parse(text));
    }),
  );
});

it('exactValue accepts a response without content, and JSON that is nested too deep for a reviver', () => {
  const text = '['.repeat(100_000) + ']'.repeat(100_000);
  const value: unknown = JSON.parse(text);

  expect(exactValue({ text: '', value: undefined })).toBe(undefined);
  expect(exactValue({ text, value })).toBe(value);
});

it.concurrent.for(['yaml', 'csv'] as const)(
  'portico states that a command has succeeded if its result is too deep for %s',
  async (format, test) => {
    const body = `{"locator":"CLM-1","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const { env, service } = await memberSetup(test, (response) => {
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(body);
    });
    const args = ['me', 'claims', 'submit', fileWith(test, '{"type":"dental"}'), '-o', format];

    expect(await portico(test, args, { env })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr:
        'portico: The result cannot be shown in this form.\n' +
        '  The command itself has succeeded. Use --json to see its result.\n',
    });
    expect(service.received).toHaveLength(1);
  },
);

it.concurrent('portico shows numbers that JavaScript cannot represent as the service wrote them', async (test) => {
  const { env } = await memberSetup(test, (response) => {
    response.setHeader('Content-Type', 'application/json').end('{"memberId":12345678901234567890,"tier":12}');
  });

  expect(await portico(test, 'me coverage', { env })).toMatchObject({
    exitCode: 0,
    stdout: 'Member id  12345678901234567890\nTier       12\n',
  });
});
