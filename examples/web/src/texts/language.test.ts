import { describe, expect, it } from 'vitest';
import { localeOf, preferredLanguage } from './language.ts';

describe('the language of the pages', () => {
  it.each([
    [null, ['de-CH', 'en'], 'de'],
    [null, ['fr-FR', 'de'], 'de'],
    [null, ['fr-FR'], 'en'],
    [null, [], 'en'],
    [null, ['EN-gb'], 'en'],
    ['de', ['en-US'], 'de'],
    ['tlh', ['en-US'], 'en'],
  ])('the language for the choice %s and the accepted languages %j is %s', (chosen, accepted, language) => {
    expect(preferredLanguage(chosen, accepted)).toBe(language);
  });

  it.each([
    ['en', ['en', 'en-GB'], 'en-GB'],
    ['de', ['en-GB', 'de-AT'], 'de-AT'],
    ['de', ['en-GB'], 'de-DE'],
    ['en', ['en'], 'en-US'],
  ] as const)('formats dates in %s for %j as in %s', (language, accepted, locale) => {
    expect(localeOf(language, accepted)).toBe(locale);
  });
});
