import { languageNames, languages } from '../texts/language.ts';
import { useWording } from '../texts/texts.tsx';
import { Icon } from '../design/icon.tsx';
import './language-choice.css';

/** Lets the member choose the language of the pages, which this browser keeps. */
export const LanguageChoice = () => {
  const { language, texts, changeLanguage } = useWording();
  return (
    <div className="language-choice" role="group" aria-label={texts.app.language}>
      <Icon icon="language" />
      {languages.map((other) => (
        <button
          key={other}
          type="button"
          lang={other}
          aria-pressed={other === language}
          onClick={() => changeLanguage(other)}
        >
          {languageNames[other]}
        </button>
      ))}
    </div>
  );
};
