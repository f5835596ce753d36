import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built pages are; `npm ci` builds them. */
export const pagesDirectory = dirname(fileURLToPath(import.meta.resolve('@portico/web/pages/index.html')));
