import { lazy, type ReactNode, Suspense } from 'react';
import type { PageConfig } from '../config.ts';
import { CookieSession } from './cookie/cookie-session.tsx';
import { SigningIn } from './sign-in-page.tsx';

/** The OpenID Connect library is loaded only where the pages hold the tokens. */
const BearerSession = lazy(async () => ({ default: (await import('./bearer/bearer-session.tsx')).BearerSession }));

interface SessionProps {
  readonly config: PageConfig;
  readonly children: ReactNode;
}

/** Shows its children to a member who is signed in, and a sign-in page to others. */
export const Session = ({ config, children }: SessionProps) =>
  config.session ? (
    <CookieSession>{children}</CookieSession>
  ) : (
    <Suspense fallback={<SigningIn />}>
      <BearerSession config={config}>{children}</BearerSession>
    </Suspense>
  );
