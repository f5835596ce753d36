import type { ComponentType, ReactNode } from 'react';
import type { PageConfig } from '../config.ts';
import { CookieSession } from './cookie/cookie-session.tsx';

/** Shows its children to a member who is signed in, and a sign-in page to others. */
export type SessionComponent = ComponentType<{ readonly children: ReactNode }>;

/**
 * Loads the OpenID Connect library only where the pages hold the tokens. As a lazy component, it would start at least 300 ms
 * later on every load of the pages, because React shows the fallback of a `Suspense` for at least 300 ms.
 */
export const loadSession = async ({ session }: PageConfig): Promise<SessionComponent> =>
  session ? CookieSession : (await import('./bearer/bearer-session.tsx')).BearerSession;
