import { expect, it } from 'vitest';
import { equal } from './assertions.ts';

it('equal ignores the order of fields when it compares values', () => {
  equal({ email: true, sms: [{ a: 1, b: 2 }] }, { sms: [{ b: 2, a: 1 }], email: true }, 'the preferences');
});

it('equal reports both values when they differ', () => {
  expect(() => equal([1, 2], [2, 1], 'the order')).toThrow('Broken: the order: expected [2,1], got [1,2]');
});
