/** What `GET /session` reports (contract, section 11). */
export type SessionStatus =
  | { readonly isSignedIn: false }
  | {
      readonly isSignedIn: true;
      readonly name: string | undefined;
      /** An opaque value that differs for each member. Undefined if the server does not send it. */
      readonly member: string | undefined;
      /** When the session ends, as the server sent it. */
      readonly expiresAt: string;
      /** The same in milliseconds of this browser's clock, exact to a second. */
      readonly endsAt: number;
    };

const timeoutMs = 15_000;

const request = (method: 'GET' | 'POST', path: string): Promise<Response> =>
  fetch(path, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: method === 'GET' ? {} : { 'X-Portico-Csrf': '1' },
    signal: AbortSignal.timeout(timeoutMs),
  });

/** Rejects if the state of the session is unknown: the server cannot be reached, or its response is not understood. */
export const readSession = async (): Promise<SessionStatus> => {
  const response = await request('GET', '/session');
  if (response.status === 401) return { isSignedIn: false };
  if (!response.ok) throw new Error(`GET /session returned ${response.status}`);
  const {
    authenticated,
    expires_at = '',
    name,
  } = (await response.json()) as {
    readonly authenticated?: boolean;
    readonly expires_at?: string;
    readonly name?: string;
  };
  if (authenticated !== true) return { isSignedIn: false };
  // The clock of the browser may differ from the server's.
  const serverNow = Date.parse(response.headers.get('Date') ?? '');
  const now = Date.now();
  const endsAt = now + Date.parse(expires_at) - (Number.isNaN(serverNow) ? now : serverNow);
  if (Number.isNaN(endsAt)) throw new Error('GET /session returned no valid expires_at');
  const member = response.headers.get('X-Portico-Member') ?? undefined;
  return { isSignedIn: true, name, member, expiresAt: expires_at, endsAt };
};

/**
 * Ends the session. Returns where the provider ends its own, or `undefined` if it cannot. Rejects if the member is still
 * signed in.
 */
export const endSession = async (): Promise<string | undefined> => {
  const response = await request('POST', '/session/logout');
  // The session had already ended.
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(`POST /session/logout returned ${response.status}`);
  const { logout_url } = (await response.json()) as { readonly logout_url?: string | null };
  return /^https?:/.test(logout_url ?? '') ? logout_url! : undefined;
};

/** The URL that signs in, and returns to this path of the pages with its query. */
export const signInUrl = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string =>
  `/session/login?return_to=${encodeURIComponent(pathname === '/sign-out' ? '/' : pathname + search)}`;
