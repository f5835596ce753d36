import type { Failure } from '@portico/core';
import type { Result } from 'neverthrow';
import type { Session } from './session.ts';

/** A session as it is kept, in the cookie or in a store. */
export interface Kept {
  readonly session: Session;
  /** The value that the browser's cookie should have. */
  readonly cookie: string;
  /** Whether the first key sealed it. */
  readonly isCurrentKey: boolean;
  /** The version in the store. */
  readonly version?: string;
}

/** A promise of a kept session, or of undefined if there is none or it has ended. */
export type Keeping = Promise<Result<Kept | undefined, Failure>>;

/**
 * The value of the cookie of a new session, or why there is no session. `too-large`: it fits into no cookie. `ended`: the
 * identity provider has ended the sign-in since it began.
 */
type Created = { readonly cookie: string } | { readonly refusal: 'too-large' | 'ended' };

/** Where sessions are kept. */
export interface SessionKeeper {
  /** `beganAt`: when the sign-in began, of the clock's `monotonic`. */
  create(session: Session, beganAt: number): Promise<Result<Created, Failure>>;
  find(cookie: string): Keeping;
  /**
   * Applies a change to the newest state of the session. It never brings back a session that has ended. A change that returns
   * its argument stores nothing.
   */
  update(kept: Kept, change: (session: Session) => Session): Keeping;
  /** Ends the session, whichever cookie of it is sent later. */
  end(kept: Kept): Promise<Result<void, Failure>>;
  /** Removes the entry of a session that cannot be used any more. A newer cookie of the same session may be usable. */
  drop(kept: Kept): Promise<Result<void, Failure>>;
  /**
   * Whether the session may have ended since it was found, so that the browser may have the cookie of a later sign-in. A
   * response of the old session must then leave the cookie as it is.
   */
  mayBeReplaced(kept: Kept): boolean;
  /**
   * Runs a refresh, one at a time per session, unless another request has refreshed the session in the meantime.
   * `refresh` gets the newest state.
   */
  exclusively(kept: Kept, refresh: (newest: Kept) => Keeping): Keeping;
  /** Resolves when no refreshed tokens are only in memory, at the latest when other instances may refresh their sessions. */
  settled(): Promise<void>;
}
