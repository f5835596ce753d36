import { describe, expect, it } from 'vitest';
import { matches, strongEtag } from './entity-tag.ts';

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
  ])('%s matches a resource with entity tag %s: %j', (ifMatch, etag, isMatch) => {
    expect(matches(ifMatch, etag)).toBe(isMatch);
  });
});
