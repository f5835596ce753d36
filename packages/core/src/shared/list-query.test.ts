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
