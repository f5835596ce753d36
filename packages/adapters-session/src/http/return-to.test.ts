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
  ])('refuses %j', (text) => {
    expect(readReturnTo(text)).toBeUndefined();
  });
});
