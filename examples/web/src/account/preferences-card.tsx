import { preferenceNames, type Preferences, startingPreferences } from '@portico/core';
import { useQuery } from '@tanstack/react-query';
import { errAsync, okAsync } from 'neverthrow';
import { type Version, useCaller, versionOf } from '../api/context.ts';
import { Card } from '../design/card.tsx';
import type { Values } from '../form/edits.ts';
import { useForm } from '../form/form.ts';
import { SaveBar } from '../form/save-bar.tsx';
import { Switch } from '../design/forms/switch.tsx';

const key = 'preferences';

const groups = [
  {
    title: 'How we reach you',
    switches: [
      ['email', 'Email', undefined],
      ['sms', 'Text message', 'Your carrier may charge for messages.'],
      ['push', 'Push notification', 'On devices where you use our app.'],
    ],
  },
  {
    title: 'What we notify you about',
    switches: [
      ['claimsUpdates', 'Claims updates', 'When a claim is received, decided or paid.'],
      ['billingAlerts', 'Billing alerts', 'When a payment is due.'],
      ['enrollmentReminders', 'Enrollment reminders', 'When you can change your plan.'],
    ],
  },
] as const;

/** `null` for a member who never set any; that is not an error. */
const usePreferences = () => {
  const call = useCaller();
  return useQuery({
    queryKey: [key],
    queryFn: ({ signal }): Promise<Version<Preferences | null>> =>
      call((portico) =>
        portico
          .getPreferences(signal)
          .map((read) => versionOf<Preferences | null>(read))
          .orElse((failure) =>
            failure.kind === 'not-found' && failure.code === 'preferences-not-set'
              ? okAsync({ value: null, etag: undefined })
              : errAsync(failure),
          ),
      ),
  });
};

export const PreferencesCard = () => (
  <Card title="Notifications" resource={usePreferences()} className="preferences">
    {({ value }) => <PreferencesForm saved={value} />}
  </Card>
);

/** Only the six preferences shown here: a service may return more. */
const valuesOf = (saved: Preferences | null): Values<boolean> => {
  const before = saved ?? startingPreferences;
  return new Map(preferenceNames.map((name) => [name, before[name]]));
};

const PreferencesForm = ({ saved }: { readonly saved: Preferences | null }) => {
  const form = useForm<Preferences | null, boolean>({
    key,
    write: (portico, body, etag) => portico.putPreferences(body, etag),
    resource: saved,
    valuesOf,
    bodyOf: (newest, edits) => Object.fromEntries([...valuesOf(newest), ...edits]),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (form.isDirty || saved === null) form.submit();
      }}
    >
      {saved ? null : (
        <p className="notice">
          You have not set your preferences yet. These are suggestions; they take effect when you save.
        </p>
      )}
      {groups.map(({ title, switches }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          {switches.map(([name, label, hint]) => (
            <Switch
              key={name}
              label={label}
              hint={hint}
              checked={form.valueOf(name) === true}
              onChange={(on) => form.change(name, on)}
            />
          ))}
        </fieldset>
      ))}
      <SaveBar
        save={form.save}
        isDirty={form.isDirty || saved === null}
        label="Save notifications"
        {...(form.isDirty && { discard: { label: 'Discard', onClick: form.discard } })}
      />
    </form>
  );
};
