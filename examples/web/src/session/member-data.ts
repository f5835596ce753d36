import { closePdfs } from '../documents/open-pdfs.ts';
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
