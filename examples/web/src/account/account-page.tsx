import { OfService } from '../api/services.ts';
import { PageHeading } from '../design/page-heading.tsx';
import { UnsavedChangesGuard } from '../form/unsaved-changes.tsx';
import { useTexts } from '../texts/texts.tsx';
import { ConsentCard } from './consent-card.tsx';
import { ContactCard } from './contact-card.tsx';
import './account.css';

export const AccountPage = () => {
  const texts = useTexts().account;
  return (
    <UnsavedChangesGuard>
      <PageHeading title={texts.title} lead={texts.lead} />
      <div className="account">
        <OfService name="policy">
          <ContactCard />
        </OfService>
        <OfService name="consent">
          <ConsentCard />
        </OfService>
      </div>
    </UnsavedChangesGuard>
  );
};
