import type { Preferences } from '@portico/core';
import { useQuery } from '@tanstack/react-query';
import { errAsync, okAsync } from 'neverthrow';
import { type Version, useCaller, versionOf } from '../api/context.ts';
import { Card } from '../design/card.tsx';
import { PageHeading } from '../design/page-heading.tsx';
import { UnsavedChangesGuard } from '../form/unsaved-changes.tsx';
import { useTexts } from '../texts/texts.tsx';
import { PreferencesForm, preferencesKey } from './preferences-form.tsx';
import './preferences.css';

/** `null` for a member who never set any; that is not an error. */
const usePreferences = () => {
  const call = useCaller();
  return useQuery({
    queryKey: [preferencesKey],
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

export const PreferencesPage = () => {
  const texts = useTexts().preferences;
  return (
    <UnsavedChangesGuard>
      <PageHeading title={texts.title} lead={texts.lead} />
      <Card title={texts.card} icon="preferences" className="preferences" resource={usePreferences()}>
        {({ value }) => <PreferencesForm saved={value} />}
      </Card>
    </UnsavedChangesGuard>
  );
};
