import { ok } from 'neverthrow';
import { fakeClock } from '../runtime/clock.fake.ts';
import type { Clock } from '../runtime/clock.port.ts';
import { type Fails, failOnDemand } from '../shared/fake.ts';
import { maxSignInMs, type SessionContent, type SessionStore } from './session-store.port.ts';

export interface FakeSessionStore extends SessionStore, Fails {
  /** The sessions that exist now, oldest first. */
  readonly sessions: readonly FakeSession[];
  /** Sets `degradedReason`; `undefined` clears it. */
  degrade(degradedReason: string | undefined): void;
}

export interface FakeSession {
  readonly id: string;
  readonly value: string;
  readonly version: string;
  readonly labels: readonly string[];
  /** Of the clock's `monotonic`. */
  readonly expiresAt: number;
}

/** Keeps sessions in memory, with failures on demand. */
export const fakeSessionStore = (clock: Clock = fakeClock()): FakeSessionStore => {
  const { respond, ...failing } = failOnDemand();
  const sessions = new Map<string, FakeSession>();
  /** When each label was removed last. */
  const removals = new Map<string, number>();
  const leases = new Map<string, { readonly lease: string; readonly expiresAt: number }>();
  let count = 0;
  let degradedReason: string | undefined;

  const isCurrent = ({ expiresAt }: { readonly expiresAt: number }) => expiresAt > clock.monotonic();
  const current = () => [...sessions.values()].filter(isCurrent);
  const put = (id: string, labels: readonly string[], { value, expiresInMs }: SessionContent) =>
    sessions.set(id, { id, value, labels, version: `v${++count}`, expiresAt: clock.monotonic() + expiresInMs });
  const found = (id: string) => current().find((session) => session.id === id);

  return {
    ...failing,
    create: (id, session) =>
      respond(() => {
        const { labels, beganMsAgo } = session;
        const beganAt = clock.monotonic() - beganMsAgo;
        const hasEnded = labels.some((label) => (removals.get(label) ?? -Infinity) >= beganAt);
        if (hasEnded || beganMsAgo > maxSignInMs) return ok(false);
        put(id, labels, session);
        return ok(true);
      }),
    find: (id) =>
      respond(() => {
        const session = found(id);
        return ok(session && { value: session.value, version: session.version });
      }),
    replace: (id, version, content) =>
      respond(() => {
        const session = found(id);
        if (session?.version !== version) return ok(false);
        put(id, session.labels, content);
        return ok(true);
      }),
    remove: (id) =>
      respond(() => {
        sessions.delete(id);
        return ok();
      }),
    removeLabelled: (label) =>
      respond(() => {
        removals.set(label, clock.monotonic());
        const ended = current().filter(({ labels }) => labels.includes(label));
        for (const { id } of ended) sessions.delete(id);
        return ok(ended.length);
      }),
    acquire: (id, leaseMs) =>
      respond(() => {
        const held = leases.get(id);
        if (held && isCurrent(held)) return ok(undefined);
        const lease = `lease ${++count}`;
        leases.set(id, { lease, expiresAt: clock.monotonic() + leaseMs });
        return ok(lease);
      }),
    release: (id, lease) =>
      respond(() => {
        if (leases.get(id)?.lease === lease) leases.delete(id);
        return ok();
      }),
    get sessions() {
      return current();
    },
    degrade: (next) => {
      degradedReason = next;
    },
    get degradedReason() {
      return degradedReason;
    },
  };
};
