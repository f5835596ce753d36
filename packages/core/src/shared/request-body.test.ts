import * as fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { invalid } from './failure.ts';
import type { Json } from './json/json.ts';
import { parseObjectBody } from './request-body.ts';

const received = (text: string): Json => ({ text, value: JSON.parse(text) as unknown });

const relayed = (text: string): string | undefined =>
  parseObjectBody(received(text)).match(
    (body) => body.text,
    () => undefined,
  );

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{"b":1}${'}'.repeat(depth - 1)}`;

describe('parseObjectBody', () => {
  it.each(['[]', '[{"a":1}]', 'null', '"text"', '1', 'true'])('rejects %s, which is not an object', (text) => {
    expect(parseObjectBody(received(text))).toEqual(
      err(invalid('The body must be a JSON object.', { path: '', message: 'must be a JSON object' })),
    );
  });

  it('rejects an object without fields', () => {
    expect(parseObjectBody(received('{ }'))).toEqual(
      err(invalid('The body must not be empty.', { path: '', message: 'must have at least one field' })),
    );
  });

  it('rejects a body nested more than 64 levels deep', () => {
    expect(relayed(nested(64))).toBe(nested(64));
    expect(parseObjectBody(received(nested(65)))).toEqual(
      err(
        invalid('The body is nested too deeply.', { path: '', message: 'must not be nested more than 64 levels deep' }),
      ),
    );
  });

  it('counts arrays as nesting levels', () => {
    expect(relayed(`{"a":${'['.repeat(63)}${']'.repeat(63)}}`)).toBeDefined();
    expect(relayed(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`)).toBeUndefined();
  });

  it('counts nesting that a repeated key hides, and ignores brackets in strings', () => {
    expect(relayed(`{"a":${'['.repeat(64)}${']'.repeat(64)},"a":1}`)).toBeUndefined();
    expect(relayed(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},"a":1,"partyLocator":1}`)).toBeUndefined();
    const text = String.raw`{"a":"${'['.repeat(65)}","${'{'.repeat(65)}\\\"${'['.repeat(65)}":1}`;
    expect(relayed(text)).toBe(text);
  });

  it.each([
    '{"__proto__":{"isAdmin":true},"a":1}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"prototype":1,"__proto__":null,"toString":1,"hasOwnProperty":2}',
    '{"amount":1,"amount":2}',
  ])('relays names of built-in properties unchanged, without side effects: %s', (text) => {
    expect(relayed(text)).toBe(text);
    expect(({} as Readonly<Record<string, unknown>>)['isAdmin']).toBeUndefined();
  });

  it('relays a body that names no member byte for byte', () => {
    const text = ' { "z" : 1.0, "a":\t12345678901234567890.1234567890,"2":0,"1":-0,"e":1e400, "\\u0061b": "\\/" }\n';
    expect(relayed(text)).toBe(text);
  });

  it('relays any object that names no member byte for byte', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(relayed(text)).toBe(text);
      }),
    );
  });
});

describe('parseObjectBody with a field that names a member', () => {
  it.each([
    'partyLocator',
    'PARTYLOCATOR',
    'Party_Locator',
    'party-locator',
    'x-party-locator',
    'X_Party_Locator',
    'xPartyLocator',
    'memberLocator',
    'x-member-locator',
    String.raw`p\u0061rty\u004cocator`,
  ])('removes the field written as %s', (name) => {
    expect(relayed(`{"${name}":"PTY-2","amount":1}`)).toBe('{"amount":1}');
    expect(relayed(`{"amount":1,"lines":[{"deep":{"${name}":{"a":1}}}]}`)).toBe('{"amount":1,"lines":[{"deep":{}}]}');
  });

  it('removes the field from an object under "__proto__"', () => {
    expect(relayed('{"__proto__":{"partyLocator":"PTY-2","a":1}}')).toBe('{"__proto__":{"a":1}}');
  });

  it.each([
    '{"a":{"partyLocator":"PTY-2"},"a":{"b":1}}',
    '{"a":{"partyLocator":"PTY-2"},"a":1}',
    '{"a":1,"partyLocator":"PTY-2","partyLocator":"PTY-3"}',
    '{"a":{"partyLocator":"PTY-2"},"a":{"partyLocator":"PTY-2"},"a":{"b":1}}',
    '{"__proto__":{"partyLocator":"PTY-2"},"__proto__":1}',
    String.raw`{"\u0061":{"party\u004cocator":"PTY-2"},"a":1}`,
  ])('removes the field when a repeated key hides it: %s', (text) => {
    expect(relayed(text)).not.toContain('PTY-');
  });

  it('keeps the order and every digit of the other fields', () => {
    expect(
      relayed('{"z":12345678901234567890.1234567890,"partyLocator":"PTY-2","a":[1.0,-0,1e400,0.10],"m":"1.0"}'),
    ).toBe('{"z":12345678901234567890.1234567890,"a":[1.0,-0,1e400,0.10],"m":"1.0"}');
  });

  it('keeps the escapes of other strings', () => {
    const text = String.raw`{"a":"\u00e9\/ \"b\"","c":[true,null]}`;
    expect(relayed(text.replace('{', '{"partyLocator":"PTY-2",'))).toBe(text);
  });

  it('keeps every value of a repeated field', () => {
    const text = '{"partyLocator":"PTY-2","a":1.10,"b":{"c":1},"a":1.20,"b":{"d":[2.00]}}';
    expect(parseObjectBody(received(text))).toEqual(
      ok({ text: text.replace('"partyLocator":"PTY-2",', ''), value: { a: 1.2, b: { d: [2] } } }),
    );
  });

  it('rejects an object that has no other field', () => {
    expect(parseObjectBody(received('{"partyLocator":"PTY-2"}'))).toEqual(
      err(invalid('The body must not be empty.', { path: '', message: 'must have at least one field' })),
    );
  });

  it('removes the field from the value and from the text', () => {
    expect(parseObjectBody(received('{"partyLocator":"PTY-2","a":1}'))).toEqual(
      ok({ text: '{"a":1}', value: { a: 1 } }),
    );
  });

  it.each(['locator', 'claimLocator', 'partyLocators', 'thirdPartyLocator', 'party', String.raw`\"partyLocator\":`])(
    'keeps a field named %s',
    (name) => {
      const text = `{ "${name}" : "partyLocator" , "list": ["partyLocator"] }`;
      expect(relayed(text)).toBe(text);
    },
  );

  it('removes the field at any depth', () => {
    const name = fc.constantFrom('a', 'b', '__proto__', 'partyLocator', 'x-party-locator', 'Member_Locator', '');
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(1, 'partyLocator', null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.array(fc.tuple(name, tie('node')), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
      ),
    }));
    const withoutNames = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(withoutNames);
      if (typeof value !== 'object' || value === null) return value;
      const kept = Object.entries(value).filter(([key]) => ['a', 'b', '__proto__', ''].includes(key));
      return Object.fromEntries(kept.map(([key, below]) => [key, withoutNames(below)]));
    };
    fc.assert(
      fc.property(node, (value) => {
        const text = JSON.stringify({ first: 1, rest: value });
        expect(relayed(text)).toBe(JSON.stringify({ first: 1, rest: withoutNames(value) }));
      }),
    );
  });
});
