import { ok, type Result } from 'neverthrow';
import { fakeClock } from '../runtime/clock.fake.ts';
import type { Clock } from '../runtime/clock.port.ts';
import type { Failure } from '../shared/failure.ts';
import { type Fails, failOnDemand } from '../shared/fake.ts';
import { maxSignInMs, type NewSession, type SessionContent, type SessionStore } from './session-store.port.ts';

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

  const operations = {
    create: (id: string, session: NewSession): Result<boolean, Failure> => {
      const { labels, beganMsAgo } = session;
      const beganAt = clock.monotonic() - beganMsAgo;
      const hasEnded = labels.some((label) => (removals.get(label) ?? -Infinity) >= beganAt);
      if (hasEnded || beganMsAgo > maxSignInMs) return ok(false);
      put(id, labels, session);
      return ok(true);
    },
    replace: (id: string, version: string, content: SessionContent): Result<boolean, Failure> => {
      const session = found(id);
      if (session?.version !== version) return ok(false);
      put(id, session.labels, content);
      return ok(true);
    },
    removeLabelled: (label: string): Result<number, Failure> => {
      removals.set(label, clock.monotonic());
      const ended = current().filter(({ labels }) => labels.includes(label));
      for (const { id } of ended) sessions.delete(id);
      return ok(ended.length);
    },
    acquire: (id: string, leaseMs: number): Result<string | undefined, Failure> => {
      const held = leases.get(id);
      if (held && isCurrent(held)) return ok(undefined);
      const lease = `lease ${++count}`;
      leases.set(id, { lease, expiresAt: clock.monotonic() + leaseMs });
      return ok(lease);
    },
    release: (id: string, lease: string): Result<void, Failure> => {
      if (leases.get(id)?.lease === lease) leases.delete(id);
      return ok();
    },
  };

  return {
    ...failing,
    create: (...args) => respond(() => operations.create(...args)),
    find: (id) =>
      respond(() => {
        const session = found(id);
        return ok(session && { value: session.value, version: session.version });
      }),
    replace: (...args) => respond(() => operations.replace(...args)),
    remove: (id) =>
      respond(() => {
        sessions.delete(id);
        return ok();
      }),
    removeLabelled: (label) => respond(() => operations.removeLabelled(label)),
    acquire: (...args) => respond(() => operations.acquire(...args)),
    release: (...args) => respond(() => operations.release(...args)),
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
