import type { form as english } from './form-texts.en.ts';

export const form: typeof english = {
  saving: 'Wird gespeichert …',
  saved: 'Gespeichert.',
  notSaved: 'Nicht gespeichert.',
  discard: 'Verwerfen',
  cancel: 'Abbrechen',
  endedDuringSave: 'Ihre Sitzung ist beendet. Melden Sie sich zum Speichern erneut an.',
  changedElsewhere: 'Das wurde inzwischen an anderer Stelle geändert. Sie sehen die neuesten Werte.',
  changedElsewhereWithEdits:
    'Das wurde inzwischen an anderer Stelle geändert. Sie sehen die neuesten Werte mit Ihren Änderungen. Prüfen Sie sie und speichern Sie erneut.',
  unsaved: {
    title: 'Seite ohne Speichern verlassen?',
    body: 'Diese Seite hat ungespeicherte Änderungen.',
    stay: 'Auf dieser Seite bleiben',
    leave: 'Ohne Speichern verlassen',
  },
};
