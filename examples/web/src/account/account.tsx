import { OfService } from '../api/services.ts';
import { UnsavedChangesGuard } from '../form/unsaved-changes.tsx';
import { usePageHeading } from '../design/page-heading.tsx';
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
        <OfService name="notifications">
          <PreferencesCard />
        </OfService>
        <div className="stack">
          <OfService name="policy">
            <ContactCard />
          </OfService>
          <OfService name="consent">
            <ConsentCard />
          </OfService>
        </div>
      </div>
    </UnsavedChangesGuard>
  );
};
