import type { Profile } from '@portico/client';
import { type FormEvent, useEffect, useRef } from 'react';
import { ErrorSummary, useErrorSummary } from '../design/forms/error-summary.tsx';
import { Field } from '../design/forms/field.tsx';
import { useForm } from '../form/form.ts';
import { SaveBar } from '../form/save-bar.tsx';
import { useTexts } from '../texts/texts.tsx';
import { type ContactField, contactDetailsOf, contactKey, contactPatch } from './contact-details.ts';
import { contactErrors } from './contact-errors.ts';

export const ContactForm = ({ profile, onDone }: { readonly profile: Profile; readonly onDone: () => void }) => {
  const { account, form: formTexts } = useTexts();
  const texts = account.contact;
  const form = useForm<Profile, string>({
    key: contactKey,
    write: (portico, patch, etag) => portico.patchProfile(patch, 'application/json', etag),
    resource: profile,
    valuesOf: contactDetailsOf,
    bodyOf: contactPatch,
    onSaved: onDone,
  });
  const { summary, show } = useErrorSummary();
  const details = contactDetailsOf(profile);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!form.isDirty) return;
    const values = new Map([...details.keys()].map((name) => [name, form.valueOf(name) ?? '']));
    const found = contactErrors(profile, values, texts);
    show(found);
    if (found.size === 0) form.submit();
  };
  const field = (
    name: ContactField,
    autoComplete: string,
    more: { readonly type?: string; readonly hint?: string } = {},
  ) => (
    <Field
      name={name}
      label={name === 'line2' ? texts.optional(texts.fields[name]) : texts.fields[name]}
      autoComplete={autoComplete}
      maxLength={200}
      error={summary.errors.get(name)}
      value={form.valueOf(name) ?? ''}
      onChange={({ target }) => form.change(name, target.value)}
      {...more}
    />
  );
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => element.current?.querySelector('input')?.focus(), []);
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <ErrorSummary {...summary} />
      {field('email', 'email', { type: 'email', hint: texts.emailHint })}
      {field('phone', 'tel', { type: 'tel', hint: texts.phoneHint })}
      {field('line1', 'address-line1')}
      {field('line2', 'address-line2')}
      {field('city', 'address-level2')}
      <div className="pair">
        {field('state', 'address-level1')}
        {field('postalCode', 'postal-code')}
      </div>
      <SaveBar
        save={form.save}
        isDirty={form.isDirty}
        label={texts.save}
        discard={{ label: formTexts.cancel, onClick: onDone }}
      />
    </form>
  );
};
