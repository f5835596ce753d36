import { useState } from 'react';
import { useResource } from '../api/context.ts';
import type { ConsentItem, ConsentState } from '../api/resources.ts';
import { Card } from '../ui/card.tsx';
import { words } from '../ui/format.ts';
import { SaveBar, useSave } from '../ui/save.tsx';
import { Switch } from '../ui/switch.tsx';
import { useUnsaved } from '../ui/unsaved-changes.tsx';

const path = '/me/consent';

export const ConsentCard = () => (
  <Card title="Consent" resource={useResource<ConsentState>(path)} empty="There is nothing to consent to.">
    {(state) => (state.consents?.length ? <Form state={state} consents={state.consents} /> : undefined)}
  </Card>
);

/** Given consent that is taken back is withdrawn; what was never given is denied. */
const turned = (item: ConsentItem, on: boolean): ConsentItem => {
  if (on) return { ...item, state: 'granted' };
  return { ...item, state: item.state === 'granted' ? 'withdrawn' : (item.state ?? 'denied') };
};

const Form = ({ state, consents }: { readonly state: ConsentState; readonly consents: readonly ConsentItem[] }) => {
  const [changes, setChanges] = useState<ReadonlyMap<number, boolean>>(new Map());
  const save = useSave<ConsentState>('PUT', path);
  const isGranted = (item: ConsentItem, index: number) => changes.get(index) ?? item.state === 'granted';
  const isDirty = consents.some((item, index) => isGranted(item, index) !== (item.state === 'granted'));
  useUnsaved(isDirty);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDirty || save.isPending) return;
        const next = consents.map((item, index) =>
          isGranted(item, index) === (item.state === 'granted') ? item : turned(item, isGranted(item, index)),
        );
        save.mutate({ ...state, consents: next }, { onSuccess: () => setChanges(new Map()) });
      }}
    >
      <div>
        {consents.map((item, index) => (
          <Switch
            key={item.locator ?? index}
            label={words(item.purpose)}
            hint={`Now: ${words(item.state).toLowerCase()}`}
            checked={isGranted(item, index)}
            onChange={(on) => setChanges((before) => new Map(before).set(index, on))}
          />
        ))}
      </div>
      <SaveBar
        save={save}
        isDirty={isDirty}
        label="Save consent"
        {...(isDirty && { discard: { label: 'Discard', onClick: () => setChanges(new Map()) } })}
      />
    </form>
  );
};
