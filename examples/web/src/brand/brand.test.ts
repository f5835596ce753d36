import { expect, it } from 'vitest';
import { brandVariables, tints } from './brand.ts';
import { contrast } from './color.ts';

it('no colour changes without a brand', () => {
  expect(brandVariables({ name: 'Lakeside Health' })).toEqual([]);
});

it('the text on a light brand is black, and the brand is darkened for links', () => {
  const variables = Object.fromEntries(brandVariables({ headerColor: '#ffd400', accentColor: '#ffd400' }));
  expect(variables).toEqual({
    '--brand-header': '#ffd400',
    '--on-brand-header': '#000000',
    '--fill': '#ffd400',
    '--on-fill': '#000000',
    '--accent-light': expect.stringMatching(/^#[0-9a-f]{6}$/),
    '--accent-dark': '#ffd400',
  });
  expect(contrast(variables['--accent-light']!, tints.light)).toBeGreaterThanOrEqual(4.5);
});
