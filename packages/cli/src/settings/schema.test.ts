import { expect, it } from 'vitest';
import { z } from 'zod';
import { settingsSchema } from './schema.ts';
import { contractSample, memberApi } from './settings-file.test.support.ts';
import { variables } from './variables.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The output of `portico config schema`. */
const schema = JSON.parse(JSON.stringify(z.toJSONSchema(settingsSchema, { io: 'input' }))) as Schema;
/** An independent validator of the schema, as in an editor. */
const validator = z.fromJSONSchema(schema);
const accepts = (value: unknown) => validator.safeParse(value).success;

it('the settings schema is a JSON Schema of draft 2020-12', () => {
  expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(schema['type']).toBe('object');
});

it('the settings schema has only formats of JSON Schema', () => {
  const formats = JSON.stringify(schema).matchAll(/"format":"([^"]+)"/g);
  expect(new Set(Array.from(formats, ([, format]) => format))).toEqual(new Set(['uri', 'duration']));
});

it('the settings schema accepts valid settings', () => {
  const web = { pages: { directory: 'dist', clientId: 'a-portal' }, cors: { origins: ['https://portal.example'] } };
  const several = {
    ...memberApi,
    identity: [memberApi.identity, { issuer: 'https://other.example', clients: ['app'] }],
  };
  const limited = { listen: { trustedProxies: ['10.0.0.0/8'] }, limits: { memberRequests: null } };

  expect(
    [{}, memberApi, contractSample, { ...memberApi, ...web }, { roles: ['member'] }, limited, several].map(accepts),
  ).toEqual(Array.from({ length: 7 }, () => true));
});

it.each([
  { listen: { port: 65_536 } },
  { listen: { port: '8080' } },
  { listen: { prot: 8080 } },
  { listen: { trustedProxies: '10.0.0.0/8' } },
  { limits: { memberRequests: { requests: 0 } } },
  { limits: { memberRequests: 600 } },
  { unknown: 1 },
  { identity: {} },
  { identity: [] },
  { identity: [{}] },
  { identity: [memberApi.identity, { ...memberApi.identity, dpop: 'on' }] },
  { identity: { ...memberApi.identity, scopes: { read: 'two  blanks' } } },
  { identity: { ...memberApi.identity, clients: [] } },
  { identity: { ...memberApi.identity, algorithms: ['HS256'] } },
  { log: { level: 'loud' } },
  { pages: { directory: '' } },
  { pages: { folder: 'dist' } },
  { cors: { origins: 'https://portal.example' } },
  { cors: { origins: [null] } },
  { roles: [] },
  { roles: 'member' },
  { roles: ['everything'] },
])('the settings schema rejects invalid settings: %j', (settings) => {
  expect(accepts(settings)).toBe(false);
});

it('the settings schema describes every setting', () => {
  const described = leaves(schema);

  expect(described.length).toBeGreaterThan(50);
  expect(described.filter(([, { description }]) => typeof description !== 'string' || description === '')).toEqual([]);
});

it('the settings schema contains every setting that has a variable', () => {
  const settings = new Set(leaves(schema).map(([setting]) => setting));

  expect(
    variables.flatMap(({ paths }) => paths.map((path) => path.join('.'))).filter((path) => !settings.has(path)),
  ).toEqual([]);
});

it('the settings schema names the default path of each operation', () => {
  expect(leaves(schema).find(([setting]) => setting === 'downstreams.claims.paths.get')?.[1]['description']).toBe(
    'Default: /members/{partyLocator}/claims/{locator}',
  );
});

function leaves(node: Schema, path: readonly string[] = []): (readonly [string, Schema])[] {
  const union = (node['anyOf'] ?? []) as readonly Schema[];
  // A string or an object, such as a secret, is one setting.
  const isValue = union.some(({ type }) => type === 'string');
  const objects = isValue ? [] : union.filter((one) => one['properties'] !== undefined);
  if (objects.length > 0) return objects.flatMap((one) => leaves(one, path));
  const properties = node['properties'] as Readonly<Record<string, Schema>> | undefined;
  const items = node['additionalProperties'];
  if (properties) return Object.entries(properties).flatMap(([name, inner]) => leaves(inner, [...path, name]));
  if (typeof items === 'object' && items !== null) return leaves(items as Schema, [...path, '*']);
  return [[path.join('.'), node]];
}
