import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { httpDefaults } from '../http/client.ts';
import { maxVectorBytes, vectorScanner } from './vector-scanner.ts';

/** `PORTICO_PROPERTY_RUNS=100000` searches longer. */
const numRuns = Number(process.env['PORTICO_PROPERTY_RUNS'] ?? 4000);

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const good = [
  '{}',
  '[]',
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-0.0e-0',
  '12.50',
  '1E+9',
  '1e400',
  '123456789012345678901234567890',
  '""',
  '"a\\"b\\\\c\\/\\b\\f\\n\\r\\t"',
  '"\\u00e9\\uD83D"',
  '"漢字 😀"',
  '"\u007f"',
  ' \t\r\n{ "a" : [ 1 , { } , [ ] ] , "b":{"c":null} } \n',
  '{"a":1,"a":2,"__proto__":{}}',
  '[[[[]]],{"":""}]',
];

const bad = [
  '',
  ' ',
  '{',
  '}',
  '[',
  ']',
  '[}',
  '{]',
  '{]}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[1,,2]',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  "{'a':1}",
  '{"a":1 "b":2}',
  '{"a"1}',
  '{1:1}',
  '{}{}',
  '{} x',
  'nul',
  'nulL',
  'truefalse',
  'True',
  'undefined',
  'NaN',
  'Infinity',
  '-',
  '+1',
  '01',
  '-01',
  '.5',
  '5.',
  '1.e3',
  '1e',
  '1e+',
  '0x1',
  '1_000',
  '"',
  '"a',
  '"\\',
  '"\\"',
  '"\\x"',
  '"\\u12"',
  '"\\u12g4"',
  '"\\u123',
  '"a\nb"',
  '"\u0000"',
  '"\u001f"',
  '\uFEFF{}',
  '\u00a01',
  '\u20281',
  '// a\n1',
  '{"a":1}/**/',
  '\u000b1',
];

describe('vectorScanner', () => {
  const scan = vectorScanner()!;
  const isJson = (text: string) => scan(Buffer.from(text));

  it.each(good)('accepts %j', (text) => {
    expect([isJson(text), parses(text)]).toEqual([true, true]);
  });

  it.each(bad)('rejects %j', (text) => {
    expect([isJson(text), parses(text)]).toEqual([false, false]);
  });

  it('agrees with JSON.parse on random input', () => {
    const pieces = fc.constantFrom(...good, ...bad, ...'{}[],:"\\ \n-+.0123456789eEué'.split(''), '"a":');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(isJson(text)).toBe(parses(text));
      }),
      { numRuns },
    );
  });

  /** The texts among these on which the scanner and JSON.parse disagree. An `expect` for each text would take most of the time. */
  const disputed = (texts: readonly string[]) => texts.filter((text) => isJson(text) !== parses(text));

  it('agrees with JSON.parse on a string of any length with any character at any place', () => {
    const characters = ['"', '\\', '\\"', '\\u00e9', '\\u00g9', '\n', '\u0000', '\u001f', ' ', '\u007f', 'é', 'x'];
    const wrong: string[] = [];
    // The vector scanner compares blocks of 64 bytes.
    for (let length = 0; length <= 66; length++)
      for (const character of characters)
        for (let at = 0; at <= length; at++) {
          const string = `"${'x'.repeat(at)}${character}${'x'.repeat(length - at)}"`;
          const texts = [string, `{${string}:1}`, `${string}"`, string.slice(0, -1)];
          wrong.push(...disputed(texts));
        }
    expect(wrong).toEqual([]);
  });

  it('agrees with JSON.parse on whitespace of any length', () => {
    const wrong: string[] = [];
    for (let length = 0; length <= 34; length++)
      for (const end of ['', '\u0000', '\u00a0', '\v', '1', '}', '\n']) {
        const blank = ' \t\r\n'.repeat(9).slice(0, length) + end;
        const texts = [`${blank}{}`, `{${blank}}`, `[1${blank},2]`, `{"a"${blank}:${blank}1}`, `[]${blank}`];
        wrong.push(...disputed(texts));
      }
    expect(wrong).toEqual([]);
  });

  it('finds a text valid or not regardless of the text before it', () => {
    for (const before of ['"'.repeat(200), '}'.repeat(200), ' '.repeat(200), `["${'x'.repeat(200)}`]) {
      const wrong = [...good, ...bad].filter((text) => {
        isJson(before);
        return isJson(text) !== parses(text);
      });
      expect(wrong).toEqual([]);
    }
  });

  it('agrees with JSON.parse after a random edit of valid JSON', () => {
    const anywhere = fc.nat();
    const character = fc.constantFrom(...'{}[],:"\\ \n-+.0aeu\u0001é'.split(''));
    fc.assert(
      fc.property(fc.json(), anywhere, anywhere, character, (json, from, length, put) => {
        const start = from % (json.length + 1);
        const text = json.slice(0, start) + put + json.slice(start + (length % 3));
        expect(isJson(text)).toBe(parses(text));
      }),
      { numRuns },
    );
  });

  it('agrees with JSON.parse on sequences of strings, after a random edit', () => {
    const string = fc.tuple(fc.nat(70), fc.constantFrom('', '\\"', '\\\\', '\\u00e9', 'é', '\t'));
    const separator = fc.constantFrom(
      ...[',', ':'].flatMap((mark) => [mark, mark, `${mark} `, ` ${mark}`, `${mark}\n  `]),
    );
    const start = fc.constantFrom('{', '[', '', '[{', '{"a":[');
    const put = fc.constantFrom('', '', '"', '\\', ':', ',', '}', ']', ' ', '1');
    fc.assert(
      fc.property(start, fc.array(fc.tuple(string, separator)), put, fc.nat(), (open, all, edit, at) => {
        const names = all.map(([[length, end], mark]) => `"${'x'.repeat(length)}${end}"${mark}`).join('');
        const pairs = all.map(([[length, end]], nth) => `"${'x'.repeat(length)}${end}"${nth % 2 === 0 ? ':' : ','}`);
        for (const body of [names, pairs.join('')]) {
          const close = { '{': '}', '[': ']', '': '', '[{': '}]', '{"a":[': ']}' }[open];
          const whole = open + body.replace(/[,:]\s*$/, '') + close;
          const place = at % (whole.length + 1);
          for (const text of [whole, whole.slice(0, place) + edit + whole.slice(place)])
            expect(isJson(text)).toBe(parses(text));
        }
      }),
      { numRuns },
    );
  });

  it('accepts any nesting depth', () => {
    for (const depth of [63, 64, 65, 1000, 100_000]) {
      expect(isJson('['.repeat(depth) + ']'.repeat(depth))).toBe(true);
      expect(isJson('{"a":'.repeat(depth) + '1' + '}'.repeat(depth))).toBe(true);
      expect(isJson('['.repeat(depth) + ']'.repeat(depth - 1))).toBe(false);
    }
  });
});

/** Loads the module anew. */
const load = async () => (await import('./json-syntax.ts')).isJsonText;

describe('isJsonText', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it('checks texts around the longest one that fits into the memory of the module', async () => {
    const isJsonText = await load();
    for (const length of [maxVectorBytes - 1, maxVectorBytes, maxVectorBytes + 1]) {
      const text = Buffer.from(`"${'x'.repeat(length - 2)}"`);
      expect(isJsonText(text)).toBe(true);
      expect(isJsonText(text.fill(0x0a, length - 2, length - 1))).toBe(false);
    }
  });

  it('checks the longest response that is accepted by default without parsing it', () => {
    expect(maxVectorBytes).toBeGreaterThanOrEqual(httpDefaults.maxResponseBytes);
  });

  it('works where WebAssembly is not available', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    const isJsonText = await load();
    expect([vectorScanner(), isJsonText(Buffer.from('{}')), isJsonText(Buffer.from('{'))]).toEqual([
      undefined,
      true,
      false,
    ]);
  });
});
