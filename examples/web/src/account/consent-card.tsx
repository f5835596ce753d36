import { useVersioned } from '../api/context.ts';
import type { ConsentState } from '../api/resources.ts';
import { Card } from '../design/card.tsx';
import { useForm } from '../form/form.ts';
import { words } from '../texts/format.ts';
import { SaveBar } from '../form/save-bar.tsx';
import { Switch } from '../design/forms/switch.tsx';
import { grantsOf, withGrants } from './consents.ts';

const key = 'consent';

export const ConsentCard = () => (
  <Card
    title="Consent"
    resource={useVersioned<ConsentState>(key, (portico, signal) => portico.getConsent(signal))}
    empty="You have no consents to manage."
  >
    {({ value: state }) => (state.consents?.length ? <ConsentForm state={state} /> : undefined)}
  </Card>
);

const ConsentForm = ({ state }: { readonly state: ConsentState }) => {
  const form = useForm<ConsentState, boolean>({
    key,
    write: (portico, body, etag) => portico.putConsent(body, etag),
    resource: state,
    valuesOf: grantsOf,
    bodyOf: withGrants,
  });
  const changeable = grantsOf(state);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (form.isDirty) form.submit();
      }}
    >
      <div>
        {state.consents?.map(({ locator = '', purpose, state: now }, index) => (
          <Switch
            key={changeable.has(locator) ? locator : index}
            label={words(purpose)}
            hint={`Now: ${words(now).toLowerCase()}`}
            checked={changeable.has(locator) ? form.valueOf(locator) === true : now === 'granted'}
            isDisabled={!changeable.has(locator)}
            onChange={(on) => form.change(locator, on)}
          />
        ))}
      </div>
      <SaveBar
        save={form.save}
        isDirty={form.isDirty}
        label="Save consent"
        {...(form.isDirty && { discard: { label: 'Discard', onClick: form.discard } })}
      />
    </form>
  );
};
