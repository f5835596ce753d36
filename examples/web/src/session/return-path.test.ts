import { expect, it } from 'vitest';
import { returnPath } from './return-path.ts';

const longQuery = new URLSearchParams({ q: '药'.repeat(256) }).toString();

it.each([
  ['the same page with its query', '/search?q=insulin', '/search?q=insulin'],
  ['the same search with a backslash', String.raw`/search?q=a\b`, '/search?q=a%5Cb'],
  ['the page without a query that is too long', `/search?${longQuery}`, '/search'],
  ['the first page from the page that signs out', '/sign-out', '/'],
  ['the first page from a path that is too long', `/${'a'.repeat(2048)}`, '/'],
  ['the first page from a path with an encoded slash', '/claims/A%2f1', '/'],
  ['the first page from a path with an encoded control character', '/claims/%00', '/'],
  ['the first page from a path that begins with two slashes', '//other.example/', '/'],
])('a sign-in returns to %s', (_page, path, expected) => {
  expect(returnPath(new URL(`http://127.0.0.1${path}`))).toBe(expected);
});
