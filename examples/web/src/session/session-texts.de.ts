import type { session as english } from './session-texts.en.ts';

export const session: typeof english = {
  signIn: 'Anmelden',
  signInAgain: 'Erneut anmelden',
  signOut: 'Abmelden',
  signingIn: 'Anmeldung läuft …',
  signingOut: 'Abmeldung läuft …',
  welcome: 'Ihr Versicherungsschutz, Ihre Rechnungen und Dokumente, und wie wir Sie erreichen.',
  signInErrors: {
    denied:
      'Sie sind nicht angemeldet: Die Anmeldung wurde abgebrochen oder abgelehnt. Sie können es erneut versuchen.',
    expired:
      'Die Anmeldung hat zu lange gedauert, oder sie wurde in einem anderen Browser oder Tab begonnen. Bitte melden Sie sich erneut an.',
    unavailable: 'Die Anmeldung ist zurzeit nicht möglich. Bitte versuchen Sie es in einigen Minuten erneut.',
    failed:
      'Die Anmeldung ist fehlgeschlagen. Bitte versuchen Sie es erneut. Wenn sie wieder fehlschlägt, wenden Sie sich an uns.',
  },
  ended: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an, um fortzufahren.',
  signOutIncomplete:
    'Sie sind hier abgemeldet, aber Ihr Anmeldedienst hat möglicherweise noch eine Sitzung. Melden Sie sich auf einem gemeinsam genutzten Gerät auch dort ab.',
  signOutFailed:
    'Die Abmeldung ist fehlgeschlagen: Sie sind noch angemeldet. Prüfen Sie Ihre Internetverbindung und versuchen Sie es erneut.',
  notAccepted:
    'Sie sind angemeldet, aber dieser Dienst nimmt Ihre Anmeldung nicht an. Melden Sie sich ab und wieder an.',
  unavailable: 'Ihre Sitzung konnte nicht geprüft werden.',
  endsSoon: {
    title: 'Sie werden bald abgemeldet',
    body: (time) =>
      `Zu Ihrer Sicherheit endet Ihre Sitzung um ${time}. Ungespeicherte Änderungen bleiben auf dieser Seite.`,
    stay: 'Angemeldet bleiben',
  },
};
