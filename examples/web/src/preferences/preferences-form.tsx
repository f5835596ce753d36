import { type Preferences, startingPreferences } from '@portico/core';
import type { FormEvent } from 'react';
import { Button } from '../design/button.tsx';
import { ErrorSummary, useErrorSummary } from '../design/forms/error-summary.tsx';
import { Radios } from '../design/forms/radios.tsx';
import { Switch } from '../design/forms/switch.tsx';
import { Notice } from '../design/notice.tsx';
import { useForm } from '../form/form.ts';
import { SaveBar } from '../form/save-bar.tsx';
import { useTexts } from '../texts/texts.tsx';
import {
  channels,
  type Choice,
  choicesOf,
  missingChoices,
  type PreferenceName,
  topics,
  withChoices,
} from './choices.ts';
import { Result } from './result.tsx';

export const preferencesKey = 'preferences';

/** The member chooses each that is not stored yet: nothing is written that the member did not choose. */
export const PreferencesForm = ({ saved }: { readonly saved: Preferences | null }) => {
  const { preferences: texts, form: formTexts } = useTexts();
  const form = useForm<Preferences | null, Choice>({
    key: preferencesKey,
    write: (portico, body, etag) => portico.putPreferences(body, etag),
    resource: saved,
    valuesOf: choicesOf,
    bodyOf: withChoices,
  });
  const { summary, show } = useErrorSummary();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = missingChoices(form.valueOf);
    const found = new Map(missing.map((name) => [name, texts.firstTime.missing(texts.names[name])]));
    show(found);
    if (found.size === 0 && form.isDirty) form.submit();
  };
  const isFirstTime = saved === null;
  const stored = choicesOf(saved);
  const field = (name: PreferenceName) => (
    <PreferenceField
      key={name}
      name={name}
      isStored={stored.get(name) !== undefined}
      choice={form.valueOf(name)}
      error={summary.errors.get(name)}
      onChange={(isOn) => form.change(name, isOn)}
    />
  );
  return (
    <form onSubmit={submit} noValidate>
      <ErrorSummary {...summary} />
      {isFirstTime ? (
        <FirstTime
          onSuggest={() => {
            for (const [name, isOn] of Object.entries(startingPreferences)) form.change(name, isOn);
          }}
        />
      ) : null}
      <div className="choices">
        <fieldset>
          <legend>{texts.topics}</legend>
          {topics.map(field)}
        </fieldset>
        <fieldset>
          <legend>{texts.channels}</legend>
          {channels.map(field)}
        </fieldset>
      </div>
      <Result choiceOf={form.valueOf} />
      <SaveBar
        save={form.save}
        isDirty={form.isDirty || isFirstTime}
        label={texts.save}
        {...(form.isDirty && { discard: { label: formTexts.discard, onClick: form.discard } })}
      />
    </form>
  );
};

const FirstTime = ({ onSuggest }: { readonly onSuggest: () => void }) => {
  const texts = useTexts().preferences.firstTime;
  return (
    <Notice>
      <p>
        <strong>{texts.title}</strong>
      </p>
      <p>{texts.body}</p>
      <p className="fine">{texts.suggested}</p>
      <Button look="quiet" onClick={onSuggest}>
        {texts.suggestion}
      </Button>
    </Notice>
  );
};

interface PreferenceFieldProps {
  readonly name: PreferenceName;
  readonly isStored: boolean;
  readonly choice: Choice;
  readonly error: string | undefined;
  readonly onChange: (isOn: boolean) => void;
}

/** A switch is always on or off, so a preference that is not chosen has radio buttons. */
const PreferenceField = ({ name, isStored, choice, error, onChange }: PreferenceFieldProps) => {
  const { preferences: texts, controls } = useTexts();
  const [label, hint] = [texts.names[name], texts.hints[name]];
  if (isStored) return <Switch label={label} hint={hint} checked={choice === true} onChange={onChange} />;
  return (
    <Radios
      name={name}
      legend={label}
      hint={hint}
      error={error}
      options={[
        { value: 'true', label: controls.on },
        { value: 'false', label: controls.off },
      ]}
      value={choice === undefined ? undefined : `${choice}`}
      onChange={(value) => onChange(value === 'true')}
    />
  );
};
