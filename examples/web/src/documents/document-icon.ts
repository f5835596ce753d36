import type { IconName } from '../design/icon.tsx';

const icons: ReadonlyMap<string | undefined, IconName> = new Map([
  ['eob', 'claims'],
  ['id-card', 'card'],
  ['policy', 'shield'],
  ['letter', 'mail'],
]);

/** The icon of a type of documents. */
export const iconOf = (type: string | undefined): IconName => icons.get(type) ?? 'documents';
