import { type Preferences, startingPreferences } from '@portico/core';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/context.ts';
import { Problem } from '../api/problem.ts';
import { Card } from '../ui/card.tsx';
import { SaveBar, useSave } from '../ui/save.tsx';
import { Switch } from '../ui/switch.tsx';
import { useUnsaved } from '../ui/unsaved-changes.tsx';

const path = '/me/preferences';

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
    title: 'What we tell you about',
    switches: [
      ['claimsUpdates', 'Claims updates', 'When a claim is received, decided or paid.'],
      ['billingAlerts', 'Billing alerts', 'When something is due.'],
      ['enrollmentReminders', 'Enrollment reminders', 'When you can change your plan.'],
    ],
  },
] as const;

/** A member who never set any is no error: `null`. */
const usePreferences = () => {
  const api = useApi();
  return useQuery({
    queryKey: [path],
    queryFn: async ({ signal }): Promise<Preferences | null> => {
      try {
        return await api.get<Preferences>(path, signal);
      } catch (error) {
        if (error instanceof Problem && error.code === 'preferences-not-set') return null;
        throw error;
      }
    },
  });
};

export const PreferencesCard = () => (
  <Card title="Notifications" resource={usePreferences()}>
    {(saved) => <Form saved={saved} />}
  </Card>
);

const Form = ({ saved }: { readonly saved: Preferences | null }) => {
  const [changes, setChanges] = useState<Partial<Preferences>>({});
  const save = useSave<Preferences>('PUT', path);
  const before = saved ?? startingPreferences;
  const now = { ...before, ...changes };
  const isChanged = groups.some(({ switches }) => switches.some(([name]) => now[name] !== before[name]));
  useUnsaved(isChanged);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if ((!isChanged && saved) || save.isPending) return;
        // Exactly the six: a service may have said more.
        const six = Object.fromEntries(groups.flatMap(({ switches }) => switches.map(([name]) => [name, now[name]])));
        save.mutate(six, { onSuccess: () => setChanges({}) });
      }}
    >
      {saved ? null : (
        <p className="notice">You have not chosen yet. This is what we suggest; nothing is set until you save.</p>
      )}
      {groups.map(({ title, switches }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          {switches.map(([name, label, hint]) => (
            <Switch
              key={name}
              label={label}
              hint={hint}
              checked={now[name]}
              onChange={(on) => setChanges((before) => ({ ...before, [name]: on }))}
            />
          ))}
        </fieldset>
      ))}
      <SaveBar
        save={save}
        isDirty={isChanged || saved === null}
        label="Save notifications"
        {...(isChanged && { discard: { label: 'Discard', onClick: () => setChanges({}) } })}
      />
    </form>
  );
};
