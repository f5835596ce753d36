import * as fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { parseListQuery } from './list-query.ts';

const names = ['page', 'pageSize', 'limit', 'cursor', 'offset', 'sort', 'status', 'type', 'from', 'to'] as const;
const choice = 'unknown parameter; expected one of page, pageSize, limit, cursor, offset, sort, status, type, from, to';

describe('parseListQuery', () => {
  it('relays parameters in order, including repeated ones, without interpreting their values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...names), fc.string())), (query) => {
        expect(parseListQuery(query)).toEqual(ok(query));
      }),
    );
  });

  it('accepts values by name, without those that are undefined, and rejects unknown names', () => {
    const given: object = { status: 'paid', type: undefined, limit: '10' };
    expect(parseListQuery(given)).toEqual(
      ok([
        ['status', 'paid'],
        ['limit', '10'],
      ]),
    );
    const unknown: object = { state: 'paid' };
    expect(parseListQuery(unknown)).toMatchObject({ error: { errors: [{ path: '/state', message: choice }] } });
  });

  it.each([[['a', 'b']], [10], [null], [{}]])('rejects the value %j, which is not a string', (status) => {
    const given: object = { status };
    expect(parseListQuery(given)).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '/status' }] } });
  });

  it('keeps the encoded bytes from the URL in addition to the decoded value', () => {
    expect(
      parseListQuery('cursor=a%20b&cursor=a+b&cursor=a%2Bb&%73ort=-filed,%2Cname&from=a=b=&&status=&type'),
    ).toEqual(
      ok([
        ['cursor', 'a b', 'a%20b'],
        ['cursor', 'a b', 'a+b'],
        ['cursor', 'a+b', 'a%2Bb'],
        ['sort', '-filed,,name', '-filed,%2Cname'],
        ['from', 'a=b=', 'a=b='],
        ['status', '', ''],
        ['type', '', ''],
      ]),
    );
  });

  it('encodes characters that would end a parameter or the query', () => {
    expect(parseListQuery('cursor=a;status=paid#b/../?c')).toEqual(
      ok([['cursor', 'a;status=paid#b/../?c', 'a%3Bstatus=paid%23b/../?c']]),
    );
  });

  it('relays encoded values that decode to the same value and never end a parameter', () => {
    const piece = fc.constantFrom(
      'a',
      'é',
      '%C3%A9',
      '%ff',
      '%',
      '%2',
      '+',
      '%20',
      ';',
      '#',
      '&',
      '=',
      '%26',
      '?',
      '/',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => `cursor=${pieces.join('')}`),
        (query) => {
          for (const [, value, written = ''] of parseListQuery(query).unwrapOr([])) {
            expect(written).toMatch(/^[^&;#\s]*$/);
            expect(decodeURIComponent(written.replaceAll('+', ' '))).toBe(value);
          }
        },
      ),
    );
  });

  it.each(['%ff%fe', '%C3', '%zz', '%', 'é', 'a b', '%ED%A0%80', '\u0000', 'a\r\nb'])(
    'rejects, by name, a value that is not percent-encoded UTF-8: %j',
    (value) => {
      expect(parseListQuery(`page=1&cursor=${value}`)).toEqual(
        err({
          kind: 'invalid',
          detail: 'Invalid query parameter value: cursor.',
          errors: [{ path: '/cursor', message: 'must be percent-encoded UTF-8' }],
        }),
      );
    },
  );

  it('rejects, by name, a value that cannot be encoded as UTF-8', () => {
    expect(parseListQuery([['cursor', '\ud800']])).toMatchObject({ error: { errors: [{ path: '/cursor' }] } });
  });

  it.each(['party%4Cocator=PTY-2', 'partyLocator', 'page%3D1', '%ff=1', 'p;age=1', '=1'])(
    'rejects an unknown name in a URL, encoded or not: %s',
    (query) => {
      expect(parseListQuery(`page=1&${query}`)).toMatchObject({ error: { errors: [{ message: choice }] } });
    },
  );

  it('accepts an empty query', () => {
    for (const query of ['', '&', []]) expect(parseListQuery(query)).toEqual(ok([]));
  });

  it('rejects unknown parameters by name', () => {
    expect(
      parseListQuery([
        ['page', '2'],
        ['partyLocator', 'PTY-2'],
        ['a/b~c', ''],
        ['partyLocator', 'PTY-3'],
      ]),
    ).toEqual(
      err({
        kind: 'invalid',
        detail: 'Unknown query parameter: partyLocator, a/b~c.',
        errors: [
          { path: '/partyLocator', message: choice },
          { path: '/a~1b~0c', message: choice },
        ],
      }),
    );
  });

  it.each(['Page', 'page ', 'PAGESIZE', '', 'access_token', '__proto__', 'constructor', 'x-party-locator'])(
    'rejects the name "%s"',
    (name) => {
      expect(parseListQuery([[name, '1']])).toMatchObject({
        error: { errors: [{ path: `/${name}`, message: choice }] },
      });
    },
  );

  it('names at most twenty unknown parameters, each by its first 64 characters', () => {
    const many = Array.from({ length: 30 }, (_, index) => [`${index}`.padStart(3, 'p').padEnd(100, 'x'), ''] as const);
    const refused = parseListQuery(many);
    expect(refused).toMatchObject({ error: { errors: { length: 20, 0: { path: `/pp0${'x'.repeat(61)}` } } } });
  });
});
