import type { errors as english } from './error-texts.en.ts';

export const errors: typeof english = {
  offline: 'Sie sind offline. Prüfen Sie Ihre Internetverbindung.',
  unreachable: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Internetverbindung.',
  notAvailable: 'Das ist zurzeit nicht verfügbar.',
  sessionEnded: 'Ihre Sitzung ist beendet.',
  notFound: 'Das wurde nicht gefunden.',
  tooManyRequests: (seconds) =>
    `Zu viele Anfragen. Versuchen Sie es in ${seconds === 1 ? '1 Sekunde' : `${seconds} Sekunden`} erneut.`,
  serverError: 'Der Server hat einen Fehler gemeldet.',
  unknown: 'Etwas ist fehlgeschlagen.',
  notAccepted: 'Der Server hat das nicht angenommen.',
  cannotBeShown: 'Das kann nicht angezeigt werden.',
  reference: 'Referenz',
  tryAgain: 'Erneut versuchen',
  whatToDo: 'Wenn das erneut geschieht, nennen Sie uns diese Referenz.',
  summary: 'Es gibt ein Problem',
  broken: {
    title: 'Diese Seite kann nicht angezeigt werden',
    body: 'Etwas ist fehlgeschlagen. Bitte versuchen Sie es später erneut.',
    reload: 'Seite neu laden',
  },
};
