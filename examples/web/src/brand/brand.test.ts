import { expect, it } from 'vitest';
import { brandVariables } from './brand.ts';

it('no colour changes without a brand', () => {
  expect(brandVariables({ name: 'Lakeside Health' })).toEqual([]);
});

it('the text on a light brand is black, and the brand is darkened for links', () => {
  expect(Object.fromEntries(brandVariables({ headerColor: '#ffd400', accentColor: '#ffd400' }))).toEqual({
    '--brand-header': '#ffd400',
    '--on-brand-header': '#000000',
    '--fill': '#ffd400',
    '--on-fill': '#000000',
    '--accent-light': expect.stringMatching(/^#[0-9a-f]{6}$/),
    '--accent-dark': '#ffd400',
  });
});
