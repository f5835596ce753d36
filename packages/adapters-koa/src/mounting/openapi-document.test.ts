import { describe, expect, it } from 'vitest';
import { fullDocument, validatorOf } from '../openapi/document.test.support.ts';
import { openApiDocument } from './openapi-document.ts';
import type { Parameter, Schema } from '../openapi/format.ts';
import { operations } from '../openapi/operations.test.support.ts';

const { components, paths } = fullDocument;

/** Every object in a value, with its path. */
const visit = (value: unknown, path: readonly string[] = []): readonly (readonly [readonly string[], object])[] =>
  typeof value === 'object' && value !== null
    ? [[path, value] as const, ...Object.entries(value).flatMap(([name, inner]) => visit(inner, [...path, name]))]
    : [];

const references = visit(fullDocument).flatMap(([, value]) =>
  '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [],
);

/** Every top-level schema: components, and the schemas of bodies, headers and parameters. */
const schemas = [
  ...Object.entries(components.schemas),
  ...visit(fullDocument).flatMap(([path, value]) =>
    'schema' in value && !path.includes('schema') ? [[path.join(' '), value.schema as Schema] as const] : [],
  ),
];

describe('OpenAPI document', () => {
  it('OpenAPI document is an OpenAPI 3.1 document and plain JSON', () => {
    expect(fullDocument).toMatchObject({ openapi: '3.1.1', info: { title: 'Portico', version: 'unknown' } });
    expect(JSON.parse(JSON.stringify(fullDocument))).toEqual(fullDocument);
  });

  it('resolves every reference', () => {
    const missing = references.filter((ref) => {
      const [, ...path] = ref.split('/');
      return (
        path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], fullDocument) ===
        undefined
      );
    });
    expect(missing).toEqual([]);
  });

  it('contains no unreferenced component', () => {
    const { securitySchemes, ...others } = components;
    const named = Object.entries(others).flatMap(([kind, of]) =>
      Object.keys(of).map((name) => `#/components/${kind}/${name}`),
    );
    expect(named.filter((name) => !references.includes(name))).toEqual([]);
    const used = operations.flatMap(({ operation }) => operation.security.flatMap((each) => Object.keys(each)));
    expect(Object.keys(securitySchemes)).toEqual([...new Set(used)]);
  });

  it('names a license and a contact', () => {
    expect(fullDocument.info).toMatchObject({ license: { identifier: 'MIT' }, contact: { name: expect.any(String) } });
  });

  it('contains no path with a trailing slash', () => {
    expect(Object.keys(paths).filter((path) => path.endsWith('/'))).toEqual([]);
  });

  it.each(operations)('describes the operation and documents a 4xx: $route', ({ operation }) => {
    const { summary, description, responses } = operation;
    expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w.*\.$/)]);
    expect(Object.keys(responses).some((status) => status.startsWith('4'))).toBe(true);
  });

  it('gives each operation a unique id in camel case', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  it.each(schemas)('contains only schemas that compile in strict mode: %s', (_, schema) => {
    expect(() => validatorOf(schema)).not.toThrow();
  });

  it('contains only examples that match their schema', () => {
    const wrong = visit(fullDocument).flatMap(([path, value]) => {
      const examples = 'examples' in value && Array.isArray(value.examples) ? value.examples : [];
      const invalid = examples.filter((example) => !validatorOf(value as Schema)(example));
      const { schema, example } = value as { readonly schema?: Schema; readonly example?: unknown };
      const isWrong = schema !== undefined && example !== undefined && !validatorOf(schema)(example);
      return invalid.length > 0 || isWrong ? [path.join(' ')] : [];
    });
    expect(wrong).toEqual([]);
  });

  it('declares exactly the parameters of each path', () => {
    for (const { path, parameters } of operations) {
      const inPath = parameters.filter((parameter: Parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{[^}]+\}/g) ?? []);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  it('declares exactly the tags that operations use', () => {
    const used = operations.flatMap(({ operation }) => operation.tags);
    expect(new Set(used)).toEqual(new Set(fullDocument.tags.map(({ name }) => name)));
  });
});

describe('OpenAPI document of an instance', () => {
  it('contains the version of the server', () => {
    expect(openApiDocument({ version: '1.2.3' }).info.version).toBe('1.2.3');
  });

  it.each([
    [['member'], /^\/me(?:\/|$)/],
    [['search'], /^\/api\/search$/],
    [['callbacks'], /^\/(?:on_search|on_discover|health|api\/legs)$/],
    [['probes'], /^\/(?:livez|readyz)$/],
    [['document'], /^\/(?:openapi\.json|docs)$/],
  ] as const)('contains exactly the operations of the groups %j', (serves, belongs) => {
    const document = openApiDocument({ serves });
    expect(Object.keys(document.paths)).toEqual(Object.keys(paths).filter((path) => belongs.test(path)));
    expect(document.tags.length).toBeLessThan(fullDocument.tags.length);
    expect('Claim' in document.components.schemas).toBe(serves[0] === 'member');
    expect('Leg' in document.components.schemas).toBe(serves[0] === 'callbacks');
    expect('Location' in document.components.headers).toBe(serves[0] === 'member');
    expect('list.limit' in document.components.parameters).toBe(serves[0] === 'member');
    expect(Object.keys(document.components.securitySchemes)).toEqual(
      { member: ['bearer'], callbacks: ['signature'] }[serves[0] as string] ?? [],
    );
    expect(document.info.description.includes('/me')).toBe(serves[0] === 'member');
  });
});
