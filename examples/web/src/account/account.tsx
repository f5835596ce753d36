import { UnsavedChangesGuard } from '../form/unsaved-changes.tsx';
import { usePageHeading } from '../ui/page-heading.ts';
import { ConsentCard } from './consent-card.tsx';
import { ContactCard } from './contact-card.tsx';
import { PreferencesCard } from './preferences-card.tsx';

export const Account = () => {
  const heading = usePageHeading('Account');
  return (
    <UnsavedChangesGuard>
      <h1 ref={heading} tabIndex={-1}>
        Account
      </h1>
      <div className="cards">
        <PreferencesCard />
        <div className="stack">
          <ContactCard />
          <ConsentCard />
        </div>
      </div>
    </UnsavedChangesGuard>
  );
};
