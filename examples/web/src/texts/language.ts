/** The languages of the pages. The first is used where the browser accepts none of them. */
export const languages = ['en', 'de'] as const;

export type Language = (typeof languages)[number];

/** Each language in its own words. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

const defaultLocales: Readonly<Record<Language, string>> = { en: 'en-US', de: 'de-DE' };

/** Where the choice of the member is kept in `localStorage`. */
export const languageKey = 'portico:language';

const isLanguage = (tag: string | null | undefined): tag is Language => languages.some((language) => language === tag);

const baseOf = (tag: string): string => tag.split('-')[0]!.toLowerCase();

/** The language that the member chose, else the first that the browser accepts (BCP 47 tags), else English. */
export const preferredLanguage = (chosen: string | null, accepted: readonly string[]): Language => {
  if (isLanguage(chosen)) return chosen;
  return accepted.map(baseOf).find(isLanguage) ?? languages[0];
};

/** The member's own variety of a language, such as `en-GB`, for dates and money. */
export const localeOf = (language: Language, accepted: readonly string[]): string =>
  accepted.find((tag) => baseOf(tag) === language && tag.includes('-')) ?? defaultLocales[language];

/** The language of this browser. Storage that is blocked counts as no choice. */
export const currentLanguage = (): Language => {
  try {
    return preferredLanguage(window.localStorage.getItem(languageKey), navigator.languages);
  } catch {
    return preferredLanguage(null, navigator.languages);
  }
};

/** Keeps the choice of the member. Without storage, it holds until the next visit. */
export const keepLanguage = (language: Language): void => {
  try {
    window.localStorage.setItem(languageKey, language);
  } catch {
    // The pages work without it.
  }
};
