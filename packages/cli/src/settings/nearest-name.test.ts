import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

const names = ['listen', 'roles', 'search', 'pages', 'port', 'host'];

it.each([
  ['serach', 'search'],
  ['prot', 'port'],
  ['listn', 'listen'],
  ['hosts', 'host'],
])('nearestName suggests the most similar name for %s: %s', (misspelt, name) => {
  expect(nearestName(misspelt, names)).toBe(name);
});

it.each(['', 'x', 'identity', '__proto__'])(
  'nearestName suggests no name for "%s", which resembles none',
  (misspelt) => {
    expect(nearestName(misspelt, names)).toBeUndefined();
  },
);
