import type { ConsentState } from '@portico/client';
import { type FormEvent, useState } from 'react';
import { useVersioned } from '../api/context.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Dialog } from '../design/dialog.tsx';
import { useForm } from '../form/form.ts';
import { SaveBar } from '../form/save-bar.tsx';
import { nameOf, useTexts } from '../texts/texts.tsx';
import { ConsentChoice } from './consent-choice.tsx';
import {
  changesOf,
  type Choice,
  choiceOf,
  choicesOf,
  type ConsentItem,
  hasOtherText,
  nextState,
  withChoices,
} from './consents.ts';

const key = 'consent';

export const ConsentCard = () => {
  const texts = useTexts().account.consent;
  return (
    <Card
      title={texts.title}
      icon="shield"
      className="consent"
      resource={useVersioned<ConsentState>(key, (portico, signal) => portico.getConsent(signal))}
      empty={texts.none}
    >
      {({ value: state }) => (state.consents?.length ? <ConsentForm state={state} /> : undefined)}
    </Card>
  );
};

/** A change takes effect only after the member has confirmed it. */
const ConsentForm = ({ state }: { readonly state: ConsentState }) => {
  const texts = useTexts();
  const form = useForm<ConsentState, Choice>({
    key,
    write: (portico, body, etag) => portico.putConsent(body, etag),
    resource: state,
    valuesOf: choicesOf,
    bodyOf: withChoices,
    isOutdated: hasOtherText,
  });
  const [isConfirming, setIsConfirming] = useState(false);
  const changeable = choicesOf(state);
  const consents = state.consents ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.isDirty && !form.save.isPending) setIsConfirming(true);
  };
  return (
    <form onSubmit={submit}>
      <ul className="consents">
        {consents.map((item, index) => {
          const { locator = '' } = item;
          const isFixed = !changeable.has(locator);
          return (
            <li key={isFixed ? index : locator}>
              <ConsentChoice
                item={item}
                choice={isFixed ? choiceOf(item) : form.valueOf(locator)}
                {...(!isFixed && { onChange: (choice: boolean) => form.change(locator, choice) })}
              />
            </li>
          );
        })}
      </ul>
      <SaveBar
        save={form.save}
        isDirty={form.isDirty}
        label={texts.account.consent.save}
        {...(form.isDirty && { discard: { label: texts.form.discard, onClick: form.discard } })}
      />
      <ConfirmDialog
        isOpen={isConfirming}
        changes={changesOf(state, form.valueOf)}
        onCancel={() => setIsConfirming(false)}
        onConfirm={() => {
          setIsConfirming(false);
          form.submit();
        }}
      />
    </form>
  );
};

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly changes: ReadonlyMap<ConsentItem, boolean>;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

const ConfirmDialog = ({ isOpen, changes, onCancel, onConfirm }: ConfirmDialogProps) => {
  const { account, form } = useTexts();
  const { confirm, purposes } = account.consent;
  return (
    <Dialog
      isOpen={isOpen}
      title={confirm.title}
      onCancel={onCancel}
      actions={
        <>
          <Button onClick={onConfirm}>{confirm.confirm}</Button>
          <Button look="quiet" onClick={onCancel}>
            {form.cancel}
          </Button>
        </>
      }
    >
      <ul className="consent-changes">
        {[...changes].map(([item, choice]) => (
          <li key={item.locator}>{confirm[nextState(item, choice)](nameOf(purposes, item.purpose))}</li>
        ))}
      </ul>
      <p>{confirm.later}</p>
    </Dialog>
  );
};
