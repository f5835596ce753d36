import type { notifications as english } from './notification-texts.en.ts';

export const notifications: typeof english = {
  title: 'Mitteilungen',
  lead: 'Neuigkeiten zu Ihren Rechnungen, Ihren Kosten und Ihrem Versicherungsschutz.',
  list: 'Ihre Mitteilungen',
  none: 'Sie haben keine Mitteilungen.',
  new: 'Neu',
  markRead: 'Als gelesen markieren',
  markAllRead: 'Alle als gelesen markieren',
  allRead: 'Alle Mitteilungen sind als gelesen markiert.',
  onlyHere:
    'Was Sie gelesen haben, speichert nur dieser Browser. Auf einem anderen Gerät kann eine Mitteilung wieder neu sein.',
  categories: { claims: 'Rechnungen', billing: 'Beiträge', enrollment: 'Anmeldung', general: 'Allgemein' },
  log: {
    title: 'Nachrichten an Sie',
    lead: 'Jede E-Mail, SMS und Push-Mitteilung, und ob sie angekommen ist.',
    none: 'Wir haben Ihnen keine Nachrichten gesendet.',
    message: 'Nachricht',
    to: 'Gesendet an',
    at: 'Gesendet am',
    status: 'Ergebnis',
    channels: { email: 'E-Mail', sms: 'SMS', push: 'Push-Mitteilung' },
    statuses: {
      delivered: 'Zugestellt',
      sent: 'Gesendet',
      queued: 'Wartet',
      bounced: 'Zurückgekommen',
      failed: 'Nicht zugestellt',
      undelivered: 'Nicht zugestellt',
    },
    templates: {
      'claim-received': 'Rechnung eingegangen',
      'claim-in-review': 'Rechnung in Prüfung',
      'claim-denied': 'Rechnung abgelehnt',
      'deductible-met': 'Selbstbehalt erreicht',
      'eob-ready': 'Leistungsabrechnung liegt vor',
    },
    notReached: (channel, to, at) => `${channel} an ${to}: Die Nachricht vom ${at} ist nicht angekommen.`,
    checkAddress: 'Prüfen Sie Ihre Kontaktdaten',
  },
};
