import { describe, expect, it } from 'vitest';
import { decodeEntities } from './html-entities.ts';

describe('HTML entities', () => {
  it.each([
    ['Dental &amp; Eye', 'Dental & Eye'],
    ['&quot;A&quot; &lt;b&gt;', '"A" <b>'],
    ['Caf&eacute; &euro;5 &ndash; 10&nbsp;%', 'Café €5 – 10 %'],
    ['it&#39;s &#8377;500', "it's ₹500"],
    ['it&#x27;s &#X20B9;500 &#x1F600;', "it's ₹500 😀"],
    ['a&#9;b&#10;c&#xA0;d&#13;e&#32;f', 'a b c d e f'],
    ['the last character: &#x10FFFF;', 'the last character: \u{10ffff}'],
  ])('are decoded in %s', (sent, decoded) => {
    expect(decodeEntities(sent)).toBe(decoded);
  });

  it.each([
    ['&amp;lt;script&amp;gt;', '&lt;script&gt;'],
    ['&#38;#60;', '&#60;'],
    ['&amp;amp;', '&amp;'],
  ])('are decoded once in %s', (sent, decoded) => {
    expect(decodeEntities(sent)).toBe(decoded);
  });

  it.each([
    '&unknown;',
    '&constructor;',
    '&amp',
    'a & b; c',
    '&#;',
    '&#xZZ;',
    '&#0;',
    '&#27;',
    '&#31;',
    '&#127;',
    '&#x9b;',
    '&#xD800;',
    '&#xDFFF;',
    '&#x110000;',
    '&#9999999;',
  ])('are kept when they represent no printable character: %s', (sent) => {
    expect(decodeEntities(sent)).toBe(sent);
  });
});
