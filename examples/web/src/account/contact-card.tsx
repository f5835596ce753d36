import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useResource } from '../api/context.ts';
import type { Profile } from '../api/resources.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SaveBar, useSave } from '../ui/save.tsx';
import { useUnsaved } from '../ui/unsaved-changes.tsx';

const path = '/me/profile';

const addressFields = [
  ['line1', 'Street and number', 'address-line1'],
  ['line2', 'Apartment, suite', 'address-line2'],
  ['city', 'City', 'address-level2'],
  ['state', 'State', 'address-level1'],
  ['postalCode', 'Postal code', 'postal-code'],
] as const;

type Draft = Readonly<Record<string, string>>;

export const ContactCard = () => {
  const [isEditing, setIsEditing] = useState(false);
  // The focus goes where the member goes: into the form, and back to the button that opened it.
  const [wasEdited, setWasEdited] = useState(false);
  const done = () => {
    setIsEditing(false);
    setWasEdited(true);
  };
  return (
    <Card title="Contact details" resource={useResource<Profile>(path)}>
      {(profile) =>
        isEditing ? (
          <Form profile={profile} onDone={done} />
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
  const { email, phone, ...address } = draftOf(profile);
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

const Form = ({ profile, onDone }: { readonly profile: Profile; readonly onDone: () => void }) => {
  const before = draftOf(profile);
  const [draft, setDraft] = useState(before);
  const save = useSave<Profile>('PATCH', path);
  const isDirty = Object.keys(before).some((name) => draft[name] !== before[name]);
  useUnsaved(isDirty);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isDirty || save.isPending) return;
    save.mutate(patchOf(profile, before, draft), { onSuccess: onDone });
  };
  const field = (name: string, label: string, autoComplete: string, type = 'text', required = true) => (
    <label className="field">
      <span>{label}</span>
      <input
        type={type}
        autoComplete={autoComplete}
        required={required}
        maxLength={200}
        value={draft[name] ?? ''}
        onChange={({ target }) => setDraft((before) => ({ ...before, [name]: target.value }))}
      />
    </label>
  );
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  return (
    <form ref={form} onSubmit={submit}>
      {field('email', 'Email', 'email', 'email')}
      {field('phone', 'Phone', 'tel', 'tel')}
      {addressFields.map(([name, label, autoComplete]) => (
        <div key={name}>{field(name, label, autoComplete, 'text', name !== 'line2')}</div>
      ))}
      <SaveBar
        save={save}
        isDirty={isDirty}
        label="Save contact details"
        discard={{ label: 'Cancel', onClick: onDone }}
      />
    </form>
  );
};

const preferred = <Item extends { readonly preferred?: boolean }>(items: readonly Item[] = []): Item | undefined =>
  items.find((item) => item.preferred) ?? items[0];

const draftOf = ({ emails, phones, address = {} }: Profile): Draft => ({
  email: preferred(emails)?.address ?? '',
  phone: preferred(phones)?.number ?? '',
  ...Object.fromEntries(addressFields.map(([name]) => [name, address[name] ?? ''])),
});

/** A merge patch (RFC 7396) of what was changed. A list is replaced whole, so it holds the untouched ones too. */
const patchOf = (profile: Profile, before: Draft, draft: Draft): object => {
  const isChanged = (name: string) => draft[name] !== before[name];
  const { emails = [], phones = [] } = profile;
  const address = addressFields.flatMap(([name]) => (isChanged(name) ? [[name, draft[name] || null]] : []));
  return {
    ...(isChanged('email') && {
      emails: replaced(emails, { address: draft['email'] }, { type: 'personal', preferred: true }),
    }),
    ...(isChanged('phone') && {
      phones: replaced(phones, { number: draft['phone'] }, { type: 'mobile', preferred: true }),
    }),
    ...(address.length > 0 && { address: Object.fromEntries(address) as object }),
  };
};

const replaced = (
  items: readonly { readonly preferred?: boolean }[],
  change: object,
  usual: object,
): readonly object[] => {
  const chosen = preferred(items);
  return chosen ? items.map((item) => (item === chosen ? { ...item, ...change } : item)) : [{ ...usual, ...change }];
};
