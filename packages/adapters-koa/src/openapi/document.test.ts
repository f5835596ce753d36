import { describe, expect, it } from 'vitest';
import { everything, validatorOf } from './document.test.support.ts';
import { statusOf } from '../response/problem.ts';
import { openApiDocument } from './document.ts';
import type { Parameter, Schema } from './format.ts';
import { operations } from './operations.test.support.ts';

const { components, paths } = everything;

/** Every object in a value, with the names that lead to it. */
const walk = (value: unknown, way: readonly string[] = []): readonly (readonly [readonly string[], object])[] =>
  typeof value === 'object' && value !== null
    ? [[way, value] as const, ...Object.entries(value).flatMap(([name, inner]) => walk(inner, [...way, name]))]
    : [];

const references = walk(everything).flatMap(([, value]) =>
  '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [],
);

/** Every schema that stands by itself: as a component, or where a body, a header or a parameter has one. */
const schemas = [
  ...Object.entries(components.schemas),
  ...walk(everything).flatMap(([way, value]) =>
    'schema' in value && !way.includes('schema') ? [[way.join(' '), value.schema as Schema] as const] : [],
  ),
];

describe('the OpenAPI document', () => {
  it('is one of OpenAPI 3.1, and plain JSON', () => {
    expect(everything).toMatchObject({ openapi: '3.1.1', info: { title: 'Portico', version: 'unknown' } });
    expect(JSON.parse(JSON.stringify(everything))).toEqual(everything);
  });

  it('refers to nothing that is not there', () => {
    const missing = references.filter((ref) => {
      const [, ...way] = ref.split('/');
      return (
        way.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], everything) === undefined
      );
    });
    expect(missing).toEqual([]);
  });

  it('has no schema, header or parameter that nothing refers to, but the data of an event', () => {
    const named = Object.entries(components).flatMap(([kind, of]) =>
      ['schemas', 'headers', 'parameters'].includes(kind)
        ? Object.keys(of).map((name) => `#/components/${kind}/${name}`)
        : [],
    );
    expect(named.filter((name) => !references.includes(name))).toEqual(['#/components/schemas/LegEvent']);
  });

  it('calls each operation by a name of its own', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  it.each(schemas)('has a schema that a strict reader understands: %s', (_, schema) => {
    expect(() => validatorOf(schema)).not.toThrow();
  });

  it('has examples that are what they are examples of', () => {
    const wrong = walk(everything).flatMap(([way, value]) => {
      const examples = 'examples' in value && Array.isArray(value.examples) ? value.examples : [];
      const own = examples.filter((example) => !validatorOf(value as Schema)(example));
      const { schema, example } = value as { readonly schema?: Schema; readonly example?: unknown };
      const isWrong = schema !== undefined && example !== undefined && !validatorOf(schema)(example);
      return own.length > 0 || isWrong ? [way.join(' ')] : [];
    });
    expect(wrong).toEqual([]);
  });

  it('declares every parameter of a path, and no other', () => {
    for (const { path, parameters } of operations) {
      const inPath = parameters.filter((parameter: Parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{[^}]+\}/g) ?? []);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  it('puts every operation under a heading that there is', () => {
    const used = operations.flatMap(({ operation }) => operation.tags);
    expect(new Set(used)).toEqual(new Set(everything.tags.map(({ name }) => name)));
  });

  it.each(Object.entries(statusOf))('has an answer for the code %s', (code, status) => {
    for (const name of [code, `me.${code}`])
      expect(components.responses[name]?.content?.['application/problem+json']?.schema?.properties).toMatchObject({
        code: { const: code },
        status: { const: status },
      });
  });

  it('gives a problem only where its status is', () => {
    for (const { operation } of operations)
      for (const [status, response] of Object.entries(operation.responses))
        if ('$ref' in response) {
          const code = response.$ref.replace(/^.*\/(?:me\.)?/, '') as keyof typeof statusOf;
          expect([response.$ref, statusOf[code]]).toEqual([response.$ref, Number(status)]);
        }
  });
});

describe('the OpenAPI document of an instance', () => {
  it('has its version', () => {
    expect(openApiDocument({ version: '1.2.3' }).info.version).toBe('1.2.3');
  });

  it.each([
    [['member'], /^\/me\//],
    [['search'], /^\/api\/search$/],
    [['callbacks'], /^\/(?:on_search\/?|health|api\/legs)$/],
    [['probes'], /^\/(?:livez|readyz)$/],
    [['document'], /^\/(?:openapi\.json|docs)$/],
  ] as const)('has what %j serve, and nothing else', (serves, belongs) => {
    const own = openApiDocument({ serves });
    expect(Object.keys(own.paths)).toEqual(Object.keys(paths).filter((path) => belongs.test(path)));
    expect(own.tags.length).toBeLessThan(everything.tags.length);
    expect('Claim' in own.components.schemas).toBe(serves[0] === 'member');
    expect('Leg' in own.components.schemas).toBe(serves[0] === 'callbacks');
    expect('Location' in own.components.headers).toBe(serves[0] === 'member');
    expect('list.limit' in own.components.parameters).toBe(serves[0] === 'member');
    expect(Object.keys(own.components.securitySchemes)).toEqual(
      { member: ['bearer'], callbacks: ['signature'] }[serves[0] as string] ?? [],
    );
    expect(own.info.description.includes('/me')).toBe(serves[0] === 'member');
  });
});
