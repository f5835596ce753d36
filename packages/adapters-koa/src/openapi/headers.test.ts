import { describe, expect, it } from 'vitest';
import { validatorOf } from './document.test.support.ts';
import type { Header } from './format.ts';
import { headers } from './headers.ts';

/** Invalid values per header. Valid values are checked with every response in the other tests. */
const wrong: Readonly<Record<string, readonly (string | number)[]>> = {
  'X-Request-Id': [''],
  'X-Content-Type-Options': ['sniff'],
  'Content-Security-Policy': ["default-src 'none'", "frame-ancestors 'none'; default-src *"],
  'Cache-Control.no-store': ['public', 'no-cache', 'private'],
  'Cache-Control.private': ['no-store', 'private'],
  'Cache-Control.revalidate': ['public', 'no-store'],
  'Vary.authorization': ['Origin', 'Authorization, Cookie', 'X-Authorization'],
  'Vary.page': ['Accept', 'Authorization', 'Accept, Authorization'],
  'Vary.accept': ['Origin', 'Accept, Cookie', 'X-Accept'],
  'WWW-Authenticate': ['Basic realm="portico"', 'Bearer realm="elsewhere"', 'Bearer'],
  'Retry-After': [0, 1.5],
  Location: ['/', '/claims/CLM-1', '/me/claims', '/me/claims/', '/me/documents/CLM-1', 'https://a/me/claims/CLM-1'],
  'ETag.strong': ['1', 'W/"1"', '"a"b"'],
  'Content-Range': ['0-3/40', 'items 0-3/40'],
  'Content-Disposition': [
    'attachment; filename="a.pdf"',
    'inline',
    'inline; filename="a.html"',
    'inline; filename="a b.pdf"',
  ],
  'Content-Disposition.any': [
    'inline',
    'inline; filename="a b.csv"',
    'inline; filename="a/b.csv"',
    'form-data; filename="a.csv"',
  ],
  'X-Accel-Buffering': ['yes'],
};

describe('header schemas', () => {
  it.each(Object.entries(wrong))('rejects invalid values of the header %s: %j', (name, values) => {
    const { schema } = headers[name as keyof typeof headers] satisfies Header;
    const validate = validatorOf(schema);
    expect(values.filter((value) => validate(value))).toEqual([]);
  });

  it('tests exactly the headers that have restricted values', () => {
    const strict = Object.entries<Header>(headers).filter(([, { schema }]) =>
      Object.keys(schema).some((word) => word !== 'type' && word !== 'examples'),
    );
    expect(strict.map(([name]) => name).toSorted()).toEqual(Object.keys(wrong).toSorted());
  });
});
