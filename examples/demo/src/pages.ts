import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the built pages; `npm ci` builds them. */
export const pagesDirectory = dirname(fileURLToPath(import.meta.resolve('@portico/web/pages/index.html')));

/** Adds browser sessions to settings of the sandbox. The key is new each time: it encrypts only sessions of this process. */
export const withSessions = (settings: object, url: string): object => ({
  ...settings,
  listen: { publicUrl: url },
  identity: {
    ...(settings as { readonly identity: object }).identity,
    client: { id: 'portico-portal', secret: 'portal-secret' },
  },
  session: { keys: [randomBytes(32).toString('base64url')] },
});
