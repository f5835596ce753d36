export const form = {
  saving: 'Saving …',
  saved: 'Saved.',
  notSaved: 'Not saved.',
  discard: 'Discard',
  cancel: 'Cancel',
  endedDuringSave: 'Your session has ended. Sign in again to save.',
  changedElsewhere: 'This was changed elsewhere in the meantime. The newest values are shown.',
  changedElsewhereWithEdits:
    'This was changed elsewhere in the meantime. The newest values are shown with your changes. Check them and save again.',
  unsaved: {
    title: 'Leave without saving?',
    body: 'This page has unsaved changes.',
    stay: 'Stay on this page',
    leave: 'Leave without saving',
  },
};
