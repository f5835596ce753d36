import { searchLengths } from '@portico/core';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field, Select } from '../design/forms/field.tsx';
import { Icon } from '../design/icon.tsx';
import { useTexts } from '../texts/texts.tsx';

interface SearchFormProps {
  /** What is searched now; empty before the first search. */
  readonly query: string;
  readonly persona: string;
  readonly personas: readonly string[];
  readonly onSubmit: (query: string, persona: string | undefined) => void;
  /** Cancels the search that is running. */
  readonly onCancel?: () => void;
}

/** Members see a choice of personas only if there are several. */
export const SearchForm = ({ query, persona, personas, onSubmit, onCancel }: SearchFormProps) => {
  const { search: texts, form } = useTexts();
  const searched = JSON.stringify([query, persona]);
  const [{ text, as, of }, setEntered] = useState({ text: query, as: persona, of: searched });
  // A step back or forward. A new key would take the focus from the form.
  if (of !== searched) setEntered({ text: query, as: persona, of: searched });
  const [isMissing, setIsMissing] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const hasChoice = personas.length > 1;
  const focusQuery = () => element.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const entered = text.trim();
    setIsMissing(entered === '');
    if (entered === '') focusQuery();
    else onSubmit(entered, hasChoice ? as : undefined);
  };
  return (
    <search>
      <form ref={element} className="search query" onSubmit={submit} noValidate>
        <Field
          className="grow"
          type="search"
          label={texts.query}
          hint={texts.queryHint}
          error={isMissing ? texts.queryMissing : undefined}
          maxLength={searchLengths.query}
          value={text}
          onChange={({ target }) => setEntered({ text: target.value, as, of })}
        />
        {hasChoice ? (
          <Select
            label={texts.persona}
            value={as}
            onChange={({ target }) => setEntered({ text, as: target.value, of })}
          >
            {personas.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        ) : null}
        <Button type="submit">
          <Icon icon="search" />
          {texts.submit}
        </Button>
        {onCancel ? (
          <Button
            look="quiet"
            aria-label={texts.cancel}
            onClick={() => {
              // The button, which has the focus, disappears.
              focusQuery();
              onCancel();
            }}
          >
            {form.cancel}
          </Button>
        ) : null}
      </form>
    </search>
  );
};
