import { closePdfs } from '../documents/open-pdfs.ts';
import { languageKey } from '../texts/language.ts';
import { forgetDrafts } from './drafts.ts';

/** Notifies the other tabs of this browser of a sign-out. */
const signOuts = new BroadcastChannel('portico:signed-out');

export const announceSignOut = (): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is same-origin and has no target
  signOuts.postMessage('signed out');
};

/** Calls this when the member signs out in another tab. Returns a function that ends it. */
export const onSignOutElsewhere = (listener: () => void): (() => void) => {
  signOuts.addEventListener('message', listener);
  return () => signOuts.removeEventListener('message', listener);
};

/** Removes a member's data that outlives the pages on this tab. */
export const forgetMember = (): void => {
  for (const key of Object.keys(window.sessionStorage))
    if (key.startsWith('portico:')) window.sessionStorage.removeItem(key);
  forgetDrafts();
  closePdfs();
};

/** The member whose data this storage may have, as the opaque value of the server, or a digest of the `sub`. */
const memberKey = 'portico:member';

/** Removes what the pages have stored in this browser for another member, such as drafts and which notifications are read. */
export const rememberMember = (member: string): void => {
  try {
    for (const storage of [window.sessionStorage, window.localStorage]) {
      if (storage.getItem(memberKey) === member) continue;
      for (const key of Object.keys(storage))
        if (key.startsWith('portico:') && key !== languageKey) storage.removeItem(key);
      storage.setItem(memberKey, member);
    }
  } catch {
    // A storage that is blocked has nothing of another member.
  }
};

/** Calls this when a member signs in on another tab after another one, with the opaque value of the server. */
export const onOtherMember = (listener: (member: string) => void): void =>
  window.addEventListener('storage', ({ key, newValue }) => {
    // The value of the member before is removed first.
    if (key === memberKey && newValue !== null) listener(newValue);
  });
