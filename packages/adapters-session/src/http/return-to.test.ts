import { assert as holds, constantFrom, oneof, array, property, string, webUrl } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReturnTo } from './return-to.ts';

describe('readReturnTo', () => {
  it.each([
    ['/', '/'],
    ['/claims/CLM-1?status=open&page=2#top', '/claims/CLM-1?status=open&page=2#top'],
    ['/search?q=a%2Fb%5Cc', '/search?q=a%2Fb%5Cc'],
    ['/search?q=é', '/search?q=%C3%A9'],
    ['/a/../claims', '/claims'],
    ['/?next=https://evil.example/', '/?next=https://evil.example/'],
    ['/sessions', '/sessions'],
  ])('accepts the path %s', (text, path) => {
    expect(readReturnTo(text)).toBe(path);
  });

  it.each([
    '',
    'claims',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '///evil.example',
    String.raw`/\evil.example`,
    String.raw`\/evil.example`,
    '/\t/evil.example',
    '/\n/evil.example',
    '\u0000/evil.example',
    '/a\r\nSet-Cookie: a=b',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e%2e//evil.example',
    '/%2f/evil.example',
    '/%5cevil.example',
    '/%5Cevil.example',
    '/%09/evil.example',
    '/session',
    '/session/logout',
    '/SESSION/login',
    '/a/../session/login?return_to=/session/login',
    '/./session',
    `/${'a'.repeat(2048)}`,
    `/${'€'.repeat(300)}`,
  ])('refuses %j', (text) => {
    expect(readReturnTo(text)).toBeUndefined();
  });

  it('returns only paths of the same origin, as a browser reads them', () => {
    const pieces = constantFrom(
      '/',
      '//',
      '\\',
      '.',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '\t',
      '@',
      ':',
      '?',
      '#',
      'session',
      'evil.example',
    );
    const texts = oneof(
      string(),
      webUrl(),
      array(oneof(pieces, string({ maxLength: 2 })), { maxLength: 8 }).map((all) => `/${all.join('')}`),
    );
    holds(
      property(texts, (text) => {
        const path = readReturnTo(text);
        if (path === undefined) return;
        const url = new URL(path, 'https://portal.example/session/callback');
        expect(url.origin).toBe('https://portal.example');
        expect(path).toMatch(/^\/(?![/\\])/);
        expect(url.pathname).not.toMatch(/^\/session(\/|$)/);
        expect(readReturnTo(path)).toBe(path);
      }),
      { numRuns: 2000 },
    );
  });
});
