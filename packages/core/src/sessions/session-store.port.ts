import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';

/**
 * For how long a sign-in can be completed, and a store remembers a label that was removed, in milliseconds. A sign-in that
 * takes longer creates no session.
 */
export const maxSignInMs = 600_000;

/** What a store keeps of one session, and for how long. */
export interface SessionContent {
  /** Opaque to the store: ASCII, at most 64 KiB, encrypted by the session adapter. Never in a log or a failure. */
  readonly value: string;
  /** The session is removed after this many milliseconds, counted from now. */
  readonly expiresInMs: number;
}

export interface NewSession extends SessionContent {
  /**
   * Names under which `removeLabelled` finds the session, such as the identity provider's id of the sign-in. A label may
   * belong to many sessions. The labels of a session never change.
   */
  readonly labels: readonly string[];
  /** How long ago the sign-in of this session began, in milliseconds. */
  readonly beganMsAgo: number;
}

export interface StoredSession {
  readonly value: string;
  /** Identifies this value: every `replace` gives the session another version. */
  readonly version: string;
}

/**
 * Browser sessions, shared by all instances (contract, section 11). Ids and labels are digests in base64url, so that no
 * copy of the store contains a cookie or the name of a member; case matters. Each operation takes effect in one step, as
 * if the operations that run at the same time ran one after the other. A store that is down fails with `upstream`
 * and the service `sessions`: it never reports that a session does not exist.
 */
export interface SessionStore {
  /**
   * Stores a new session with its labels, and returns whether it did. It does not if `removeLabelled` was called for one
   * of them since the sign-in began: the sign-in ended before its session existed. The id was never used before.
   */
  create(id: string, session: NewSession): ResultAsync<boolean, Failure>;
  /** Returns a session that was not removed and has not expired. */
  find(id: string): ResultAsync<StoredSession | undefined, Failure>;
  /**
   * Replaces the value and the expiry of a session, only if it exists with this version; returns whether it did. A
   * removed session thus never returns. The labels stay, and find the session for as long as it exists.
   */
  replace(id: string, version: string, content: SessionContent): ResultAsync<boolean, Failure>;
  /** Removes a session. Succeeds if there is none. */
  remove(id: string): ResultAsync<void, Failure>;
  /** Removes every session with this label, and returns their number. Remembers the label for `maxSignInMs`. */
  removeLabelled(label: string): ResultAsync<number, Failure>;
  /**
   * Starts a lease: until it is released or `leaseMs` have passed, no other call gets one for this id. Returns undefined
   * if there is one already. Needs no session of this id.
   */
  acquire(id: string, leaseMs: number): ResultAsync<string | undefined, Failure>;
  /** Ends this lease. Does nothing if it has ended already, even when there is a later one of the same id. */
  release(id: string, lease: string): ResultAsync<void, Failure>;
  /** Why sessions cannot be read or written, without private data; undefined when they can. */
  readonly degradedReason?: string | undefined;
}
