import { ok } from 'neverthrow';
import type { Sealer } from '../cookies/sealer.ts';
import { maxCookieLength } from '../cookies/session-cookie.ts';
import type { SessionKeeper } from './keeper.ts';
import { decodeSession, encodeSession, type Session } from './session.ts';

/** The maximum number of ended sessions to remember, about 5 MB. Beyond it, the oldest are dropped. */
const maxEnded = 50_000;

/**
 * Keeps sessions in the cookie itself. This instance remembers the sessions that it ended, so that neither a copy of the
 * cookie nor a slower response of the same browser brings one back. Other instances learn of the end only when the
 * provider refuses the refresh token.
 */
export const cookieKeeper = ({
  sealer,
  provider,
}: {
  readonly sealer: Sealer;
  readonly provider: string;
}): SessionKeeper => {
  const ended = new Set<string>();
  const seal = async (session: Session): Promise<string | undefined> => {
    const cookie = await sealer.seal('portico-session', encodeSession(session, provider));
    return cookie.length > maxCookieLength ? undefined : cookie;
  };
  return {
    create: async (session) => {
      const cookie = await seal(session);
      return ok(cookie === undefined ? { refusal: 'too-large' } : { cookie });
    },
    find: async (cookie) => {
      const opened = cookie.length > maxCookieLength ? undefined : await sealer.open('portico-session', cookie);
      const session = opened && decodeSession(opened.payload, provider);
      if (!session || ended.has(session.id)) return ok(undefined);
      return ok({ session, cookie, isCurrentKey: opened.isCurrent });
    },
    update: async (kept, change) => {
      const session = change(kept.session);
      const cookie = await seal(session);
      // Checked last: the session may have ended while it was refreshed.
      if (cookie === undefined || ended.has(session.id)) return ok(undefined);
      return ok({ session, cookie, isCurrentKey: true });
    },
    end: async ({ session }) => {
      ended.add(session.id);
      const [oldest = ''] = ended;
      if (ended.size > maxEnded) ended.delete(oldest);
      return ok();
    },
    drop: async () => ok(),
    mayBeReplaced: ({ session }) => ended.has(session.id),
    // The refresh itself runs once for each refresh token.
    exclusively: async (kept, refresh) => refresh(kept),
    settled: async () => {},
  };
};
