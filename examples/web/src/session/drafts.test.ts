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

it('a restored draft that its form has shown is not stored again', async () => {
  await editAndSignIn();
  const page = await loadPage();
  page.restoreDrafts('member-a');
  page.dropRestoredDraft('profile');
  page.storeDrafts('member-a');
  expect(page.areDraftsStored()).toBe(false);
});

it('the draft of another member is removed', async () => {
  await editAndSignIn();
  const page = await loadPage();
  page.restoreDrafts('member-b');
  expect([page.restoredDraft('profile'), page.areDraftsStored()]).toEqual([undefined, false]);
});
