import type { errors as english } from './error-texts.en.ts';

export const errors: typeof english = {
  offline: 'Sie sind offline. Prüfen Sie Ihre Internetverbindung.',
  unreachable: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Internetverbindung.',
  notAvailable: 'Das ist zurzeit nicht verfügbar. Versuchen Sie es in einigen Minuten erneut.',
  sessionEnded: 'Ihre Sitzung ist beendet.',
  notFound: 'Das wurde nicht gefunden.',
  tooManyRequests: (seconds) =>
    `Zu viele Anfragen. Versuchen Sie es in ${seconds === 1 ? '1 Sekunde' : `${seconds} Sekunden`} erneut.`,
  serverError: 'Der Server hat einen Fehler gemeldet. Versuchen Sie es in einigen Minuten erneut.',
  unknown: 'Etwas ist fehlgeschlagen.',
  notAccepted: 'Der Server hat das nicht angenommen.',
  cannotBeShown: 'Das kann nicht angezeigt werden. Versuchen Sie es später erneut, oder melden Sie sich bei uns.',
  reference: 'Referenz',
  tryAgain: 'Erneut versuchen',
  whatToDo: 'Wenn das erneut geschieht, melden Sie sich bei uns, und nennen Sie diese Referenz.',
  summary: 'Es gibt ein Problem',
  broken: {
    title: 'Diese Seite kann nicht angezeigt werden',
    body: 'Etwas ist fehlgeschlagen. Bitte versuchen Sie es später erneut.',
    reload: 'Seite neu laden',
  },
};
