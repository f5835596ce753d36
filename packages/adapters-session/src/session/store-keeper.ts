import { randomBytes } from 'node:crypto';
import { type Clock, type SessionStore, upstream } from '@portico/core';
import { err, ok } from 'neverthrow';
import { digest, type Sealer } from '../cookies/sealer.ts';
import { exclusiveRefreshes } from './exclusive-refreshes.ts';
import type { Kept, Keeping, SessionKeeper } from './keeper.ts';
import { decodeSession, encodeSession, type Lifetimes, memberName, type Session } from './session.ts';

interface StoreKeeperSettings {
  readonly store: SessionStore;
  readonly sealer: Sealer;
  /** The identity provider and the client. */
  readonly provider: string;
  readonly issuer: string;
  readonly lifetimes: Lifetimes;
  readonly clock: Clock;
  /** The limit of each request to the identity provider. */
  readonly timeoutMs: number;
}

/** The labels of back-channel logout: one of the sign-in at the provider, one of the member. */
export const signInLabel = (issuer: string, sid: string): string => JSON.stringify(['sid', issuer, sid]);
export const memberLabel = (issuer: string, sub: string): string => JSON.stringify(['sub', issuer, sub]);

/** How long the store may take to create a session. A logout during this time also counts as after the start of the sign-in. */
const createMs = 2000;

const maxConflicts = 5;

/** Keeps sessions sealed in a store, under the digest of a random id that only the cookie has. */
export const storeKeeper = (settings: StoreKeeperSettings): SessionKeeper => {
  const { store, sealer, provider, issuer, lifetimes, clock } = settings;
  const contentOf = async (id: string, session: Session) => {
    const now = clock.now() / 1000;
    const lasts = Math.min(session.usedAt + lifetimes.idleSeconds, session.beganAt + lifetimes.absoluteSeconds) - now;
    // The id is sealed, too: a value copied to another id cannot be opened.
    const value = await sealer.seal('portico-stored', { ...encodeSession(session, provider), k: id });
    return { value, expiresInMs: Math.max(1, Math.round(lasts * 1000)) };
  };

  const find = async (cookie: string): Keeping => {
    if (!/^[\w-]{43}$/.test(cookie)) return ok(undefined);
    const id = digest(cookie);
    const found = await store.find(id);
    if (found.isErr()) return err(found.error);
    const opened = found.value && (await sealer.open('portico-stored', found.value.value));
    if (!found.value || !opened || (opened.payload as { readonly k?: unknown }).k !== id) return ok(undefined);
    const session = decodeSession(opened.payload, provider);
    // Its labels are of the key at its sign-in. Without that key, no logout of the provider would find the session.
    if (session && !sealer.labels(memberName(issuer, session.subject)).includes(session.member)) return ok(undefined);
    return ok(session && { session, cookie, isCurrentKey: opened.isCurrent, version: found.value.version });
  };

  const update: SessionKeeper['update'] = async (kept, change) => {
    const id = digest(kept.cookie);
    let newest: Kept = kept;
    for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
      const session = change(newest.session);
      if (session === newest.session) return ok(newest);
      const replaced = await store.replace(id, newest.version ?? '', await contentOf(id, session));
      if (replaced.isErr()) return err(replaced.error);
      if (replaced.value) return ok({ session, cookie: kept.cookie, isCurrentKey: true });
      const found = await find(kept.cookie);
      if (found.isErr() || !found.value) return found;
      newest = found.value;
    }
    return err(upstream('sessions', 'timeout'));
  };

  const remove: SessionKeeper['end'] = async ({ cookie }) => store.remove(digest(cookie));

  return {
    find,
    update,
    create: async (session, beganAt) => {
      const cookie = randomBytes(32).toString('base64url');
      const id = digest(cookie);
      const labels = [
        sealer.labels(memberLabel(issuer, session.subject))[0],
        ...(session.providerSession === undefined
          ? []
          : [sealer.labels(signInLabel(issuer, session.providerSession))[0]]),
      ];
      const content = await contentOf(id, session);
      const calledAt = clock.monotonic();
      const created = await store.create(id, { ...content, labels, beganMsAgo: calledAt - beganAt + createMs });
      const isLate = clock.monotonic() - calledAt > createMs;
      // It may be stored nevertheless, and would keep its tokens there until it expires.
      if (isLate || created.isErr()) void store.remove(id);
      if (isLate) return err(upstream('sessions', 'timeout'));
      return created.map((isCreated) => (isCreated ? { cookie } : { refusal: 'ended' }));
    },
    end: remove,
    drop: remove,
    // Only the store knows. The cookie of a session never changes, so no response needs to write it.
    mayBeReplaced: () => true,
    ...exclusiveRefreshes({ ...settings, find }),
  };
};
