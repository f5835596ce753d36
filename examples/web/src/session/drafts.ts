/** The edits of a form, by field name. */
type Draft<Value = unknown> = ReadonlyMap<string, Value>;

/** The unsaved edits of each form on this tab, by the key of its resource. */
const unsaved = new Map<string, Draft>();

const listeners = new Set<() => void>();

/** Edits from before a sign-in, until their form is shown again. */
const restored = new Map<string, Draft>();

/** In `sessionStorage` only while the browser is at the identity provider. */
const storageKey = 'portico:drafts';

interface StoredDrafts {
  /** The `sub` of the member, or the opaque value of the server. */
  readonly member: string;
  readonly forms: readonly (readonly [key: string, edits: readonly (readonly [name: string, value: unknown])[]])[];
}

export const hasUnsaved = (): boolean => unsaved.size > 0;

/** Also true for restored edits whose form is not shown yet, for instance because its resource could not be read. */
export const hasDrafts = (): boolean => hasUnsaved() || restored.size > 0;

/** Calls the listener when unsaved edits change. Returns a function that ends it. */
export const onUnsaved = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const notify = (): void => {
  for (const listener of listeners) listener();
};

/** Reports the unsaved edits of a form; `undefined`: none. */
export const reportUnsaved = (key: string, edits: Draft | undefined): void => {
  if (edits) unsaved.set(key, edits);
  else unsaved.delete(key);
  notify();
};

/** Stores the unsaved edits of this member for the time at the identity provider. */
export const storeDrafts = (member: string): void => {
  if (!hasDrafts()) return;
  const drafts: StoredDrafts = { member, forms: [...restored, ...unsaved].map(([key, edits]) => [key, [...edits]]) };
  window.sessionStorage.setItem(storageKey, JSON.stringify(drafts));
};

/** Whether the edits are stored, so that leaving the page loses nothing. */
export const areDraftsStored = (): boolean => window.sessionStorage.getItem(storageKey) !== null;

/** Removes the drafts from the storage, and keeps those of this member in memory. */
export const restoreDrafts = (member: string): void => {
  const stored = window.sessionStorage.getItem(storageKey);
  removeStoredDrafts();
  if (stored === null) return;
  const drafts = JSON.parse(stored) as StoredDrafts;
  if (drafts.member === member) for (const [key, edits] of drafts.forms) restored.set(key, new Map(edits));
};

export const removeStoredDrafts = (): void => window.sessionStorage.removeItem(storageKey);

/** The edits of this form from before the sign-in. */
export const restoredDraft = <Value>(key: string): Draft<Value> | undefined =>
  restored.get(key) as Draft<Value> | undefined;

/** To be called once the form shows its draft. */
export const dropRestoredDraft = (key: string): boolean => restored.delete(key);

/** Removes all drafts when the session ends. */
export const forgetDrafts = (): void => {
  unsaved.clear();
  restored.clear();
  removeStoredDrafts();
  notify();
};
