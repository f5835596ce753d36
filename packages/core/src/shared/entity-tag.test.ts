import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { matches, parseIfMatch, strongEtag } from './entity-tag.ts';

describe('strongEtag', () => {
  it.each(['""', '"1"', '"a,b"', '"!#~"'])('accepts %s as a strong entity tag', (tag) =>
    expect(strongEtag(tag)).toBe(tag),
  );

  it.each([undefined, null, '', '1', '"', 'W/"1"', '"a"b"', '"a b"', '"a"\n', '"\u00e4"'])('rejects %j', (value) =>
    expect(strongEtag(value)).toBeUndefined(),
  );
});

describe('If-Match', () => {
  it.each([
    ['"1"', '"1"', true],
    ['"0", "1"', '"1"', true],
    ['"0","a,b"', '"a,b"', true],
    ['*', '"1"', true],
    ['"0"', '"1"', false],
    ['W/"1"', '"1"', false],
    ['*', undefined, false],
    ['none', '"1"', false],
  ])('%s matches a resource with entity tag %s: %j', (ifMatch, etag, isMatch) => {
    expect(matches(ifMatch, etag)).toBe(isMatch);
  });

  it.each([undefined, '*', '"1"', 'W/"0", "1"'])('may be %s', (ifMatch) => {
    expect(parseIfMatch(ifMatch)).toEqual(ok(ifMatch));
  });

  it('is described when it is not valid', () => {
    expect(parseIfMatch('1')).toEqual(
      err({
        kind: 'invalid',
        detail: 'The If-Match header is not valid.',
        errors: [{ path: '/If-Match', message: 'must be * or a list of quoted entity tags' }],
      }),
    );
  });
});
