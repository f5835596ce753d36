import { porticoClient, type SessionStatus } from '@portico/client';
import { sessionErrorParameter, type SignInError, signInErrors } from '@portico/core';
import { CallFailed, type Caller, createCaller } from '../../api/client.ts';
import { hasUnsaved, restoreDrafts, storeDrafts } from '../drafts.ts';
import { announceSignOut, forgetMember, onOtherMember, onSignOutElsewhere, rememberMember } from '../member-data.ts';
import { returnPath } from '../return-path.ts';

type SignedIn = Extract<SessionStatus, { readonly isSignedIn: true }>;

/** Why the member has to sign in (again). An object: the sign-in has failed. */
type SignedOutReason = 'ended' | 'provider-session-remains' | { readonly signInError: SignInError };

export type CookieSessionState =
  | { readonly kind: 'checking' }
  /** The state could not be read. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out'; readonly reason?: SignedOutReason }
  /** `hasEnded`: the session has ended, and the pages stay because a form has unsaved changes. */
  | { readonly kind: 'signed-in'; readonly status: SignedIn; readonly hasEnded: boolean }
  | { readonly kind: 'not-accepted'; readonly reference: string | undefined };

export interface SessionStore {
  readonly state: () => CookieSessionState;
  /** Calls the listener after each change. Returns a function that ends it. */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * Reads the state of the session. A read that is under way may be older than what has changed: another one follows it.
   * Without a response, the state stays. Resolves with whether there was one.
   */
  readonly check: () => Promise<boolean>;
  /** Uses the session, which extends it, and reads it again: reading alone does not extend it. */
  readonly extend: () => Promise<void>;
  /** Makes the calls of the member who is signed in now. They fail as cancelled once the data of this member is removed. */
  readonly caller: () => Caller;
  readonly signIn: () => void;
  /** Rejects if the member is still signed in. */
  readonly signOut: () => Promise<void>;
}

/** The session in the cookie, as far as the server has reported it. `clearData` removes what the pages have read. */
export const createSessionStore = (clearData: () => void): SessionStore => {
  const { session } = porticoClient({ url: window.location.origin, session: true });
  /** For calls about the session itself. */
  const ask = createCaller('', { session: true }, () => {});
  let state: CookieSessionState = { kind: 'checking' };
  /** Resolves when the last requested read has ended. */
  let reads = Promise.resolve(true);
  /** A read that has not begun. */
  let nextRead: Promise<boolean> | undefined;
  /** The generation in which the last read was requested. */
  let requestedIn = 0;
  let decision: Promise<boolean> | undefined;
  /** Whose data these pages may have. */
  let lastMember: SignedIn | undefined;
  /** Increases when the data of a member is removed. */
  let generation = 0;
  const listeners = new Set<() => void>();

  // The next member must not see the data of this one.
  const forget = ({ keepsUrl = false } = {}) => {
    generation += 1;
    forgetMember({ keepsUrl });
    clearData();
  };

  const begin = (status: SignedIn) => {
    if (lastMember && !isSameMember(lastMember, status)) forget();
    lastMember = status;
    caller = newCaller();
    if (status.member === undefined) return;
    rememberMember(status.member);
    restoreDrafts(status.member);
  };

  const change = (next: CookieSessionState) => {
    if (next !== state && next.kind === 'signed-out' && state.kind !== 'checking' && state.kind !== 'unknown')
      forget({ keepsUrl: next.reason === 'ended' });
    if (next.kind === 'signed-in' && state.kind !== 'signed-in') begin(next.status);
    state = next;
    for (const listener of listeners) listener();
  };

  const read = async () => {
    nextRead = undefined;
    const began = generation;
    // A read for the pages of a member before must not show those of the next one.
    if (requestedIn !== generation && state.kind === 'signed-out') return false;
    try {
      const status = await ask(() => session.read());
      // A response from before a sign-out must not undo it.
      if (began === generation) change(stateAfter(state, status));
      return true;
    } catch {
      // The state of the session, or what the browser has stored, cannot be read.
      if (state.kind === 'checking') change({ kind: 'unknown' });
      return false;
    }
  };
  const check = () => {
    requestedIn = generation;
    return (nextRead ??= reads = reads.then(read));
  };

  /** The session decides why a call was refused: it has ended, or the server does not accept its token. */
  const onRefused = async (reference: string | undefined, began: number) => {
    // It is decided already. A read would show the pages again, and they would call again.
    if (state.kind === 'not-accepted') return;
    // Calls that are refused at the same time share a read, for the same reason.
    const isRead = await (decision ??= check());
    decision = undefined;
    if (isRead && began === generation && state.kind === 'signed-in' && !state.hasEnded && !hasUnsaved())
      change({ kind: 'not-accepted', reference });
  };

  onSignOutElsewhere(() => {
    forget();
    change({ kind: 'signed-out' });
  });
  onOtherMember((member) => {
    // At once, without a read: the other member must not see the data of this one.
    if (state.kind !== 'signed-in') {
      // A read that is under way may be of the member before.
      generation += 1;
      void check();
    } else if (state.status.member !== member) change({ kind: 'signed-out' });
  });

  const newCaller = (): Caller => {
    const began = generation;
    // The server refuses a call if another member has signed in on another tab.
    const session = { member: lastMember?.member };
    const callNow = createCaller('', { session }, ({ reference }) => void onRefused(reference, began));
    // The next member must not get the result, nor a message.
    const cancelIfForgotten = () => {
      if (began !== generation) throw new CallFailed({ kind: 'cancelled' });
    };
    return async (call) => {
      cancelIfForgotten();
      if (state.kind === 'not-accepted') throw new CallFailed({ kind: 'cancelled' });
      return callNow(call).finally(cancelIfForgotten);
    };
  };
  let caller = newCaller();
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check,
    extend: async () => {
      // Any request of a member counts, also one that fails.
      await caller((portico) => portico.getCoverage()).catch(() => {});
      await check();
    },
    caller: () => caller,
    signIn: () => {
      // The unsaved edits stay in the storage of the tab while the browser is at the provider.
      if (state.kind === 'signed-in' && state.status.member !== undefined) storeDrafts(state.status.member);
      window.location.assign(session.signInUrl(returnPath(window.location)));
    },
    signOut: async () => {
      // A read may report the end first: the session at the provider must end, too.
      const providerUrl = await ask(() => session.end());
      announceSignOut();
      // Portico returns its own URL for a provider that cannot end its session.
      const isElsewhere = providerUrl !== undefined && new URL(providerUrl).origin !== window.location.origin;
      change({ kind: 'signed-out', ...(!isElsewhere && { reason: 'provider-session-remains' }) });
      if (isElsewhere) window.location.assign(providerUrl);
    },
  };
};

/** The opaque value also changes when the server's key changes. Without a value, the names are compared. */
const isSameMember = (one: SignedIn, other: SignedIn): boolean =>
  one.member === other.member && (one.member !== undefined || one.name === other.name);

const stateAfter = (before: CookieSessionState, status: SessionStatus): CookieSessionState => {
  if (status.isSignedIn) {
    const known = before.kind === 'signed-in' ? before.status : undefined;
    if (known && !isSameMember(known, status)) return { kind: 'signed-out' };
    // The clocks are compared anew at each read, so the same end would differ by up to a second.
    const isSameEnd = known?.expiresAt === status.expiresAt;
    return { kind: 'signed-in', status: isSameEnd ? known : status, hasEnded: false };
  }
  if (before.kind === 'checking' || before.kind === 'unknown') {
    const signInError = takeSignInError();
    return { kind: 'signed-out', ...(signInError && { reason: { signInError } }) };
  }
  if (before.kind !== 'signed-in') return before;
  return hasUnsaved() ? { ...before, hasEnded: true } : { kind: 'signed-out', reason: 'ended' };
};

/** Why the sign-in failed, as the URL reports it; the report is removed from the URL. */
const takeSignInError = (): SignInError | undefined => {
  const url = new URL(window.location.href);
  const code = url.searchParams.get(sessionErrorParameter);
  if (code === null) return undefined;
  url.searchParams.delete(sessionErrorParameter);
  window.history.replaceState({}, '', url.pathname + url.search);
  return signInErrors.find((known) => known === code) ?? 'failed';
};
