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

/** The edits of the form after the pages have been loaded again. */
const afterReload = async () => {
  const page = await loadPage();
  page.restoreDrafts('member-a');
  return page.restoredDraft('profile');
};

it('a restored draft that its form has shown is not stored any more', async () => {
  await editAndSignIn();
  const page = await loadPage();
  page.restoreDrafts('member-a');
  page.updateStoredDraft('profile');
  page.storeDrafts('member-a');
  expect(await afterReload()).toBeUndefined();
});

it('an edit while the browser goes to the provider is stored, too', async () => {
  const page = await loadPage();
  page.reportUnsaved('profile', edits);
  page.storeDrafts('member-a');
  const later = new Map([['city', 'Shelbyville']]);
  page.updateStoredDraft('profile', later);
  page.reportUnsaved('profile', later);
  expect(await afterReload()).toEqual(later);
});

it('an edit while the browser goes to the provider is stored, also after an earlier one was undone', async () => {
  const page = await loadPage();
  page.reportUnsaved('profile', edits);
  page.storeDrafts('member-a');
  page.updateStoredDraft('profile');
  page.updateStoredDraft('profile', edits);
  page.updateStoredDraft('consent', new Map([['marketing', true]]));
  const reloaded = await loadPage();
  reloaded.restoreDrafts('member-a');
  expect([reloaded.restoredDraft('profile'), reloaded.restoredDraft('consent')?.size]).toEqual([edits, 1]);
});

it('edits that are saved or discarded after a stopped sign-in do not come back', async () => {
  for (const end of ['updateStoredDraft', 'discardStoredEdits'] as const) {
    const page = await loadPage();
    page.reportUnsaved('profile', edits);
    page.storeDrafts('member-a');
    page[end]('profile');
    expect(await afterReload()).toBeUndefined();
  }
});

it('only the way to the provider needs no warning about unsaved edits, not leaving after a stopped sign-in', async () => {
  const page = await loadPage();
  page.storeDrafts('member-a');
  page.reportUnsaved('profile', edits);
  expect(page.leavesForSignIn()).toBe(false);
  page.storeDrafts('member-a');
  expect([page.leavesForSignIn(), page.leavesForSignIn()]).toEqual([true, false]);
});

it('the draft of another member is removed', async () => {
  await editAndSignIn();
  const page = await loadPage();
  page.restoreDrafts('member-b');
  const reloaded = await loadPage();
  reloaded.restoreDrafts('member-a');
  expect([page, reloaded].map((each) => each.restoredDraft('profile'))).toEqual([undefined, undefined]);
});
