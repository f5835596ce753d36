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

/** The member whose data this storage may have, as the opaque value of the server, or a digest of the `sub`. */
const memberKey = 'portico:member';

/** Where the pages keep the claims whose outcome is not known: only keys and digests. */
export const submissionsKey = 'portico:claim-submissions';

interface Forget {
  /** Whether the same member may return to this page. Another member does not: see `rememberMember`. */
  readonly keepsUrl?: boolean;
}

/**
 * Removes a member's data that outlives the pages on this tab, except the keys of claims whose outcome is not known: without
 * them, a claim that the same member submits again after the next sign-in would be filed twice.
 */
export const forgetMember = ({ keepsUrl = false }: Forget = {}): void => {
  const isMemberKnown = window.sessionStorage.getItem(memberKey) !== null;
  removeItems(window.sessionStorage, ...(isMemberKnown ? [memberKey, submissionsKey] : []));
  if (!keepsUrl) removeUrl();
  forgetDrafts();
  closePdfs();
};

const removeItems = (storage: Storage, ...except: readonly string[]): void => {
  for (const key of Object.keys(storage))
    if (key.startsWith('portico:') && !except.includes(key)) storage.removeItem(key);
};

/** A URL may have the number of a claim, or what the member has searched for. */
const removeUrl = (): void => window.history.replaceState({}, '', '/');

/**
 * Removes what the pages have stored in this browser for another member, such as drafts and which notifications are read, and
 * the URL of a page of that member. Call it before the pages read the URL.
 */
export const rememberMember = (member: string): void => {
  try {
    if (![null, member].includes(window.sessionStorage.getItem(memberKey))) removeUrl();
    for (const storage of [window.sessionStorage, window.localStorage]) {
      if (storage.getItem(memberKey) === member) continue;
      removeItems(storage, languageKey);
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
