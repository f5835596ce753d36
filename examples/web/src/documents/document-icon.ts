import { pageIconPaths } from '../design/data/page-icon-paths.ts';
import type { IconLook } from '../design/icon.tsx';

const icons: ReadonlyMap<string | undefined, IconLook> = new Map<string, IconLook>([
  ['eob', 'claims'],
  ['id-card', 'card'],
  ['policy', 'shield'],
  ['letter', pageIconPaths.mail],
]);

/** The icon of a type of documents. */
export const iconOf = (type: string | undefined): IconLook => icons.get(type) ?? 'documents';
