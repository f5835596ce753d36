import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useVersioned } from '../api/context.ts';
import type { Profile } from '../api/resources.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { useForm } from '../form/form.ts';
import { SaveBar } from '../form/save-bar.tsx';
import { restoredDraft } from '../session/drafts.ts';
import { addressFields, contactDetailsOf, contactPatch } from './contact-details.ts';

const key = 'profile';

export const ContactCard = () => {
  const [isEditing, setIsEditing] = useState(() => restoredDraft(key) !== undefined);
  // Moves the focus into the form, and back to the button that opened it.
  const [wasEdited, setWasEdited] = useState(false);
  const done = () => {
    setIsEditing(false);
    setWasEdited(true);
  };
  const resource = useVersioned<Profile>(key, (portico, signal) => portico.getProfile(signal));
  return (
    <Card title="Contact details" resource={resource} className="contact">
      {({ value: profile }) =>
        isEditing ? (
          <ContactForm profile={profile} onDone={done} />
        ) : (
          <Details profile={profile} takesFocus={wasEdited} onEdit={() => setIsEditing(true)} />
        )
      }
    </Card>
  );
};

interface DetailsProps {
  readonly profile: Profile;
  readonly takesFocus: boolean;
  readonly onEdit: () => void;
}

const Details = ({ profile, takesFocus, onEdit }: DetailsProps) => {
  const edit = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) edit.current?.querySelector('button')?.focus();
  }, [takesFocus]);
  const { email, phone, ...address } = Object.fromEntries(contactDetailsOf(profile));
  return (
    <>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{profile.name?.display ?? '–'}</dd>
        <dt>Email</dt>
        <dd>{email || '–'}</dd>
        <dt>Phone</dt>
        <dd>{phone || '–'}</dd>
        <dt>Address</dt>
        <dd>{Object.values(address).filter(Boolean).join(', ') || '–'}</dd>
      </dl>
      <div className="actions" ref={edit}>
        <Button look="quiet" onClick={onEdit}>
          Edit contact details
        </Button>
      </div>
    </>
  );
};

const ContactForm = ({ profile, onDone }: { readonly profile: Profile; readonly onDone: () => void }) => {
  const form = useForm<Profile, string>({
    key,
    write: (portico, patch, etag) => portico.patchProfile(patch, 'application/json', etag),
    resource: profile,
    valuesOf: contactDetailsOf,
    bodyOf: contactPatch,
    onSaved: onDone,
  });
  const details = contactDetailsOf(profile);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.isDirty) form.submit();
  };
  const field = (name: string, label: string, autoComplete: string, type = 'text') => (
    <label className="field" key={name}>
      <span>{label}</span>
      <input
        type={type}
        autoComplete={autoComplete}
        // A field that the profile lacks must not keep a member from changing the others.
        required={name !== 'line2' && details.get(name) !== ''}
        maxLength={200}
        value={form.valueOf(name) ?? ''}
        onChange={({ target }) => form.change(name, target.value)}
      />
    </label>
  );
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => element.current?.querySelector('input')?.focus(), []);
  return (
    <form ref={element} onSubmit={submit}>
      {field('email', 'Email', 'email', 'email')}
      {field('phone', 'Phone', 'tel', 'tel')}
      {addressFields.map(([name, label, autoComplete]) => field(name, label, autoComplete))}
      <SaveBar
        save={form.save}
        isDirty={form.isDirty}
        label="Save contact details"
        discard={{ label: 'Cancel', onClick: onDone }}
      />
    </form>
  );
};
