import { expect, it } from 'vitest';
import { isServiceName } from './failure.ts';

it.each<[unknown, boolean]>([
  ['claims', true],
  ['a', true],
  ['prior-auth-2', true],
  ['x'.repeat(32), true],
  ['x'.repeat(33), false],
  ['', false],
  ['Claims', false],
  ['2claims', false],
  ['a_b', false],
  [['claims'], false],
  [undefined, false],
])('%j is a service name: %s', (value, isName) => {
  expect(isServiceName(value)).toBe(isName);
});
