import { expect, it, vi } from 'vitest';
import { de } from './de.ts';
import { en } from './en.ts';
import { loadChosenTexts } from './texts.tsx';

const german = Promise.withResolvers<void>();
vi.mock('./de-pages.ts', async (load) => {
  await german.promise;
  return load();
});

it('the texts of the language that was chosen last are shown, also if those of an earlier choice arrive after them', async () => {
  const first = loadChosenTexts('de');
  expect(await loadChosenTexts('en')).toBe(en);
  german.resolve();
  expect(await first).toBeUndefined();
  expect(await loadChosenTexts('de')).toBe(de);
});
