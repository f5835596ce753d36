import type { Profile } from '@portico/client';
import { useEffect, useRef, useState } from 'react';
import { useVersioned } from '../api/context.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { pageIconPaths } from '../design/data/page-icon-paths.ts';
import { Icon } from '../design/icon.tsx';
import { restoredDraft, updateStoredDraft } from '../session/drafts.ts';
import { missing } from '../texts/format.ts';
import { useTexts } from '../texts/texts.tsx';
import { contactDetailsOf, contactKey } from './contact-details.ts';
import { ContactForm } from './contact-form.tsx';

export const ContactCard = () => {
  const [isEditing, setIsEditing] = useState(() => restoredDraft(contactKey) !== undefined);
  // Moves the focus into the form, and back to the button that opened it.
  const [wasEdited, setWasEdited] = useState(false);
  const done = () => {
    updateStoredDraft(contactKey);
    setIsEditing(false);
    setWasEdited(true);
  };
  const resource = useVersioned<Profile>(contactKey, (portico, signal) => portico.getProfile(signal));
  return (
    <Card title={useTexts().account.contact.title} icon={pageIconPaths.mail} resource={resource} className="contact">
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
  const texts = useTexts().account.contact;
  const edit = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) edit.current?.querySelector('button')?.focus();
  }, [takesFocus]);
  const { email, phone, ...address } = Object.fromEntries(contactDetailsOf(profile));
  return (
    <>
      <dl className="facts">
        <dt>{texts.name}</dt>
        <dd>{profile.name?.display ?? missing}</dd>
        <dt>{texts.fields.email}</dt>
        <dd>{email || missing}</dd>
        <dt>{texts.fields.phone}</dt>
        <dd>{phone || missing}</dd>
        <dt>{texts.address}</dt>
        <dd>{Object.values(address).filter(Boolean).join(', ') || missing}</dd>
      </dl>
      <div className="actions" ref={edit}>
        <Button look="quiet" onClick={onEdit}>
          <Icon icon={pageIconPaths.edit} />
          {texts.edit}
        </Button>
      </div>
    </>
  );
};
