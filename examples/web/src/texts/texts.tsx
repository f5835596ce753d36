import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import type { PageTexts } from './en-pages.ts';
import type { FirstTexts, Texts } from './en.ts';
import { type Format, formatFor, words } from './format.ts';
import { keepLanguage, type Language, localeOf } from './language.ts';

/** Each language is in files of its own, loaded when they are needed. */
const load: Readonly<Record<Language, () => Promise<FirstTexts>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
};

const loadPages: Readonly<Record<Language, () => Promise<PageTexts>>> = {
  en: async () => (await import('./en-pages.ts')).enPages,
  de: async () => (await import('./de-pages.ts')).dePages,
};

/** The texts of pages that are loaded, by language. A page is shown only after its texts. */
const pageTexts = new Map<Language, PageTexts>();

let latest: Language = 'en';

/** Loads what the dashboard needs, and makes this the language of `loadPageTexts`. */
export const loadTexts = (language: Language): Promise<FirstTexts> => {
  latest = language;
  return load[language]();
};

/** Loads the texts of pages other than the dashboard. */
export const loadPageTexts = async (language: Language = latest): Promise<void> => {
  if (!pageTexts.has(language)) pageTexts.set(language, await loadPages[language]());
};

/** The language that the member chose last. */
let chosen: Language | undefined;

/** Loads all texts of a language. `undefined` if the member has chosen another one meanwhile. */
export const loadChosenTexts = async (language: Language): Promise<FirstTexts | undefined> => {
  chosen = language;
  const [texts] = await Promise.all([load[language](), loadPageTexts(language)]);
  if (chosen !== language) return undefined;
  latest = language;
  return texts;
};

interface Wording {
  readonly language: Language;
  /** The member's own variety of the language (BCP 47). */
  readonly locale: string;
  readonly texts: FirstTexts;
  readonly format: Format;
  readonly changeLanguage: (language: Language) => void;
}

const WordingContext = createContext<Wording | undefined>(undefined);

interface WordingProviderProps {
  /** The language of the first texts. */
  readonly language: Language;
  readonly texts: FirstTexts;
  readonly children: ReactNode;
}

/** Provides texts and formats in the member's language, which the member can change. */
export const WordingProvider = ({ language, texts, children }: WordingProviderProps) => {
  const [shown, setShown] = useState({ language, texts });
  const wording = useMemo<Wording>(() => {
    const locale = localeOf(shown.language, navigator.languages);
    return {
      ...shown,
      locale,
      format: formatFor(locale),
      changeLanguage: (next) => {
        keepLanguage(next);
        // Offline, the pages keep their language.
        loadChosenTexts(next).then(
          (texts) => {
            if (texts) setShown({ language: next, texts });
          },
          () => {},
        );
      },
    };
  }, [shown]);
  useEffect(() => {
    document.documentElement.lang = shown.language;
  }, [shown.language]);
  return <WordingContext value={wording}>{children}</WordingContext>;
};

export const useWording = (): Wording => {
  const wording = use(WordingContext);
  if (!wording) throw new Error('Texts must be used inside a WordingProvider.');
  return wording;
};

/** The texts in the member's language. */
export const useTexts = (): Texts => {
  const { texts, language } = useWording();
  return { ...texts, ...pageTexts.get(language) } as Texts;
};

/** Formats dates and money for the member's locale. */
export const useFormat = (): Format => useWording().format;

/** A code of a service, such as `in-review`, in the member's words; one that the texts do not know, readable. */
export const nameOf = (names: Readonly<Record<string, string>>, code: string | undefined): string => {
  return Object.entries(names).find(([known]) => known === code)?.[1] ?? words(code);
};
