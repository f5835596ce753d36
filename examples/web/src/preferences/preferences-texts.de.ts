import type { preferences as english } from './preferences-texts.en.ts';

export const preferences: typeof english = {
  title: 'Einstellungen',
  lead: 'Wählen Sie, worüber wir Sie benachrichtigen und wie wir Sie erreichen.',
  card: 'Einstellungen für Benachrichtigungen',
  topics: 'Worüber wir Sie benachrichtigen',
  channels: 'Wie wir Sie erreichen',
  names: {
    email: 'E-Mail',
    sms: 'SMS',
    push: 'Push-Nachricht',
    claimsUpdates: 'Neues zu Leistungsfällen',
    billingAlerts: 'Hinweise zu Zahlungen',
    enrollmentReminders: 'Erinnerungen zum Tarif',
  },
  hints: {
    email: 'An die E-Mail-Adresse Ihrer Kontaktdaten.',
    sms: 'An Ihre Telefonnummer. Ihr Anbieter kann Nachrichten berechnen.',
    push: 'Auf Geräten, auf denen Sie unsere App nutzen.',
    claimsUpdates: 'Wenn ein Leistungsfall eingeht, entschieden oder bezahlt wird.',
    billingAlerts: 'Wenn eine Zahlung fällig ist.',
    enrollmentReminders: 'Wenn Sie Ihren Tarif wechseln können.',
  },
  result: {
    title: 'Was Sie erhalten',
    rule: 'Jedes Thema gilt für alle eingeschalteten Wege. Verschiedene Wege für ein Thema können Sie nicht wählen.',
    topic: 'Thema',
    yes: 'Ja',
    no: 'Nein',
    notChosen: 'Nicht gewählt',
    noChannel: 'Alle Wege sind ausgeschaltet. Sie erhalten keine Benachrichtigungen.',
    noTopic: 'Alle Themen sind ausgeschaltet. Sie erhalten keine Benachrichtigungen.',
  },
  firstTime: {
    title: 'Sie haben Ihre Einstellungen noch nicht gewählt.',
    body: 'Für Sie ist nichts vorgewählt, und vorher wird nichts gespeichert. Wählen Sie jeweils Ein oder Aus, oder beginnen Sie mit einem Vorschlag.',
    suggestion: 'Vorschlag verwenden',
    suggested: 'Der Vorschlag: jedes Thema per E-Mail, keine SMS und keine Push-Nachrichten.',
    missing: (name) => `Wählen Sie Ein oder Aus für ${name}`,
  },
  save: 'Einstellungen speichern',
};
