import { describe, expect, it } from 'vitest';
import { matches, strongEtag } from './entity-tag.ts';

describe('a strong entity tag', () => {
  it.each(['""', '"1"', '"a,b"', '"!#~"'])('is %s', (tag) => expect(strongEtag(tag)).toBe(tag));

  it.each([undefined, null, '', '1', '"', 'W/"1"', '"a"b"', '"a b"', '"a"\n', '"\u00e4"'])('is not %j', (value) =>
    expect(strongEtag(value)).toBeUndefined(),
  );
});

describe('an If-Match', () => {
  it.each([
    ['"1"', '"1"', true],
    ['"0", "1"', '"1"', true],
    ['"0","a,b"', '"a,b"', true],
    ['*', '"1"', true],
    ['"0"', '"1"', false],
    ['W/"1"', '"1"', false],
    ['*', undefined, false],
  ])('of %s holds for a resource with %s: %j', (ifMatch, etag, holds) => {
    expect(matches(ifMatch, etag)).toBe(holds);
  });
});
