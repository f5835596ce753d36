import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the built pages; `npm ci` builds them. */
export const pagesDirectory = dirname(fileURLToPath(import.meta.resolve('@portico/web/pages/index.html')));
