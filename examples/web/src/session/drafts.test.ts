import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { storageOf } from './storage.test.support.ts';

const edits = new Map([['city', 'Springfield']]);

/** Loads the module anew, as after a redirect: only the storage of the tab remains. */
const loadPage = (): Promise<typeof import('./drafts.ts')> => {
  vi.resetModules();
  return import('./drafts.ts');
};

beforeEach(() => void vi.stubGlobal('window', { sessionStorage: storageOf() }));
afterEach(() => void vi.unstubAllGlobals());

const editAndSignIn = async (): Promise<void> => {
  const page = await loadPage();
  page.reportUnsaved('profile', edits);
  page.storeDrafts('member-a');
};

it('a restored draft is kept during another sign-in if its form was not shown in between', async () => {
  await editAndSignIn();
  const second = await loadPage();
  second.restoreDrafts('member-a');
  expect(second.hasUnsaved()).toBe(false);
  second.storeDrafts('member-a');
  const third = await loadPage();
  third.restoreDrafts('member-a');
  expect(third.restoredDraft('profile')).toEqual(edits);
});

it('a restored draft survives a reload of a page that does not show its form', async () => {
  await editAndSignIn();
  (await loadPage()).restoreDrafts('member-a');
  const reloaded = await loadPage();
  reloaded.restoreDrafts('member-a');
  expect(reloaded.restoredDraft('profile')).toEqual(edits);
});

it('a restored draft that its form has shown is not stored any more', async () => {
  await editAndSignIn();
  const page = await loadPage();
  page.restoreDrafts('member-a');
  page.dropRestoredDraft('profile');
  page.storeDrafts('member-a');
  const reloaded = await loadPage();
  reloaded.restoreDrafts('member-a');
  expect(reloaded.restoredDraft('profile')).toBeUndefined();
});

it('edits are stored only as they were when the sign-in began, and not at all after their form has changed', async () => {
  const page = await loadPage();
  page.reportUnsaved('profile', edits);
  expect(page.areDraftsStored()).toBe(false);
  page.storeDrafts('member-a');
  expect(page.areDraftsStored()).toBe(true);
  // The member stops the sign-in, and edits on: the form reports its edits.
  page.dropRestoredDraft('profile');
  page.reportUnsaved('profile', new Map([['city', 'Shelbyville']]));
  expect(page.areDraftsStored()).toBe(false);
  const reloaded = await loadPage();
  reloaded.restoreDrafts('member-a');
  expect(reloaded.restoredDraft('profile')).toBeUndefined();
});

it('the draft of another member is removed', async () => {
  await editAndSignIn();
  const page = await loadPage();
  page.restoreDrafts('member-b');
  const reloaded = await loadPage();
  reloaded.restoreDrafts('member-a');
  expect([page, reloaded].map((each) => each.restoredDraft('profile'))).toEqual([undefined, undefined]);
});
