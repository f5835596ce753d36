import type { User } from 'oidc-client-ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { storageOf } from '../storage.test.support.ts';
import { oidcSettings } from './oidc-settings.ts';

let stored: Map<string, string>;
let kept: Map<string, string>;

beforeEach(() => {
  [stored, kept] = [new Map(), new Map()];
});
afterEach(() => void vi.unstubAllGlobals());

/** Ends a sign-in as this member. Returns the URL of the page after it. */
const signInAs = async (sub: string): Promise<string> => {
  let url = '/?code=C&state=S';
  vi.stubGlobal('window', {
    location: new URL(url, 'http://127.0.0.1'),
    history: { replaceState: (_state: object, _title: string, path: string) => (url = path) },
    sessionStorage: storageOf(stored),
    localStorage: storageOf(kept),
  });
  const { onSigninCallback } = oidcSettings({ issuer: 'https://id.example', clientId: 'portal', personas: null });
  await onSigninCallback?.({ profile: { sub } } as User);
  return url;
};

it('a sign-in with tokens removes what the browser has stored for another member, and keeps the language', async () => {
  await signInAs('member-a');
  kept.set('portico:read-notifications', '["N-1"]').set('portico:language', 'de');
  stored.set('portico:claim-submissions', '[]');
  await signInAs('member-a');
  expect([kept.get('portico:read-notifications'), stored.get('portico:claim-submissions')]).toEqual(['["N-1"]', '[]']);
  await signInAs('member-b');
  expect([[...kept.keys()].toSorted(), [...stored.keys()].toSorted()]).toEqual([
    ['portico:language', 'portico:member'],
    ['portico:member', 'portico:signed-in'],
  ]);
});

it('a sign-in with tokens does not store the identifier of the member', async () => {
  await signInAs('ann@example.org');
  expect([...kept.values(), ...stored.values()].join(' ')).not.toContain('ann');
});

it('a sign-in with tokens returns to the page where the first sign-in on the tab began', async () => {
  stored.set('portico:return-to', '/search?q=insulin');
  expect([await signInAs('member-a'), stored.has('portico:return-to')]).toEqual(['/search?q=insulin', false]);
});

it('a sign-in with tokens does not return to the page of another member', async () => {
  await signInAs('member-a');
  stored.set('portico:return-to', '/search?q=insulin');
  expect(await signInAs('member-b')).toBe('/');
});
