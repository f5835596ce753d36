import type { claimNames as english } from './claim-name-texts.en.ts';

export const claimNames: typeof english = {
  claim: 'Rechnung',
  ofKind: (kind) => `Rechnung (${kind})`,
  kinds: {
    professional: 'Ärztliche Behandlung',
    institutional: 'Krankenhaus',
    oral: 'Zahnbehandlung',
    vision: 'Augen und Brille',
    pharmacy: 'Apotheke',
  },
  statuses: { received: 'Eingegangen', 'in-review': 'In Prüfung', paid: 'Bezahlt', denied: 'Abgelehnt' },
};
