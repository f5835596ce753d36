/** The edits of a form, by field name. */
type Draft<Value = unknown> = ReadonlyMap<string, Value>;

/** The unsaved edits of each form on this tab, by the key of its resource. */
const unsaved = new Map<string, Draft>();

const listeners = new Set<() => void>();

/**
 * In `sessionStorage` from the moment when the browser goes to the identity provider until each form shows its edits again, also
 * if the pages are loaded several times in between.
 */
const storageKey = 'portico:drafts';

interface StoredDrafts {
  /** The `sub` of the member, or the opaque value of the server. */
  readonly member: string;
  readonly forms: readonly (readonly [key: string, edits: readonly (readonly [name: string, value: unknown])[]])[];
}

/** What the storage has: the edits from before a sign-in, until their form is shown again. */
let stored: { readonly member: string; readonly forms: Map<string, Draft> } | undefined;

export const hasUnsaved = (): boolean => unsaved.size > 0;

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

/** Whether the browser leaves for the identity provider next. */
let isLeaving = false;

/** The member who began a sign-in. From then on, the edits of this page are stored, also if the sign-in is stopped. */
let storesFor: string | undefined;

/** Stores the unsaved edits of this member for the time at the identity provider. */
export const storeDrafts = (member: string): void => {
  write({ member, forms: new Map([...(stored?.forms ?? []), ...unsaved]) });
  isLeaving = hasUnsaved();
  storesFor = member;
};

const write = (drafts: NonNullable<typeof stored>): void => {
  if (drafts.forms.size === 0) return removeStoredDrafts();
  const forms = [...drafts.forms].map(([key, edits]) => [key, [...edits]] as const);
  const item: StoredDrafts = { member: drafts.member, forms };
  window.sessionStorage.setItem(storageKey, JSON.stringify(item));
  stored = drafts;
};

/** Whether the page is left for a sign-in, which loses nothing. True once: the member may stop the sign-in, and leave later. */
export const leavesForSignIn = (): boolean => {
  const leaves = isLeaving;
  isLeaving = false;
  return leaves;
};

/** Reads the drafts of this member from the storage, until their forms show them. Removes those of another member. */
export const restoreDrafts = (member: string): void => {
  const item = window.sessionStorage.getItem(storageKey);
  if (item === null) return;
  const drafts = JSON.parse(item) as StoredDrafts;
  if (drafts.member !== member) return removeStoredDrafts();
  stored = { member, forms: new Map(drafts.forms.map(([key, edits]) => [key, new Map(edits)])) };
};

const removeStoredDrafts = (): void => {
  window.sessionStorage.removeItem(storageKey);
  stored = undefined;
};

/** The edits of this form from before the sign-in. */
export const restoredDraft = <Value>(key: string): Draft<Value> | undefined =>
  stored?.forms.get(key) as Draft<Value> | undefined;

/**
 * Updates the stored draft of a form. Call it without edits once the form shows its draft, and after each change. Edits
 * are stored only while a sign-in is under way.
 */
export const updateStoredDraft = (key: string, edits?: Draft): void => {
  if (edits && storesFor !== undefined) write({ member: storesFor, forms: new Map(stored?.forms).set(key, edits) });
  else if (stored?.forms.delete(key)) write(stored);
};

/** Removes the unsaved edits from the storage when the member discards them. */
export const discardStoredEdits = (): void => {
  for (const key of unsaved.keys()) updateStoredDraft(key);
};

/** Removes all drafts when the session ends. */
export const forgetDrafts = (): void => {
  unsaved.clear();
  storesFor = undefined;
  removeStoredDrafts();
  notify();
};
