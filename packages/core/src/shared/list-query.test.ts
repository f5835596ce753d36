import * as fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { parseListQuery } from './list-query.ts';

const names = ['page', 'pageSize', 'limit', 'cursor', 'offset', 'sort', 'status', 'type', 'from', 'to'] as const;
const choice = 'is not one of page, pageSize, limit, cursor, offset, sort, status, type, from, to';

describe('the query parameters of a list', () => {
  it('are relayed in the order given, repeated or not, with their values unread', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...names), fc.string())), (query) => {
        expect(parseListQuery(query)).toEqual(ok(query));
      }),
    );
  });

  it('keep the bytes that the client wrote in the URL, beside the value that they mean', () => {
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

  it('cannot end themselves or the query by a character that the client did not encode', () => {
    expect(parseListQuery('cursor=a;status=paid#b/../?c')).toEqual(
      ok([['cursor', 'a;status=paid#b/../?c', 'a%3Bstatus=paid%23b/../?c']]),
    );
  });

  it('mean the same as they are written, and hold nothing that ends a parameter, whatever the client wrote', () => {
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
    'are refused by name when a URL has a value that is not percent-encoded UTF-8: %j',
    (value) => {
      expect(parseListQuery(`page=1&cursor=${value}`)).toEqual(
        err({
          kind: 'invalid',
          detail: 'The value of this query parameter is not valid: cursor.',
          errors: [{ path: '/cursor', message: 'must be percent-encoded UTF-8' }],
        }),
      );
    },
  );

  it('are refused by name when a value cannot be written as UTF-8', () => {
    expect(parseListQuery([['cursor', '\ud800']])).toMatchObject({ error: { errors: [{ path: '/cursor' }] } });
  });

  it.each(['party%4Cocator=PTY-2', 'partyLocator', 'page%3D1', '%ff=1', 'p;age=1', '=1'])(
    'are refused when a URL has a name that lists do not relay, encoded or not: %s',
    (query) => {
      expect(parseListQuery(`page=1&${query}`)).toMatchObject({ error: { errors: [{ message: choice }] } });
    },
  );

  it('may be none', () => {
    expect(parseListQuery([])).toEqual(ok([]));
  });

  it('are refused by name when lists do not relay them', () => {
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
        detail: 'This list has no such query parameter: partyLocator, a/b~c.',
        errors: [
          { path: '/partyLocator', message: choice },
          { path: '/a~1b~0c', message: choice },
        ],
      }),
    );
  });

  it.each(['Page', 'page ', 'PAGESIZE', '', 'access_token', '__proto__', 'constructor', 'x-party-locator'])(
    'do not include "%s"',
    (name) => {
      expect(parseListQuery([[name, '1']])).toMatchObject({
        error: { errors: [{ path: `/${name}`, message: choice }] },
      });
    },
  );

  it('are named at most twenty at a time, each by its first 64 characters', () => {
    const many = Array.from({ length: 30 }, (_, index) => [`${index}`.padStart(3, 'p').padEnd(100, 'x'), ''] as const);
    const refused = parseListQuery(many);
    expect(refused).toMatchObject({ error: { errors: { length: 20, 0: { path: `/pp0${'x'.repeat(61)}` } } } });
  });
});
