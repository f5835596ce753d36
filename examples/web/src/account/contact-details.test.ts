import { expect, it } from 'vitest';
import { contactPatch } from './contact-details.ts';

const profile = {
  emails: [
    { type: 'work', address: 'work@example.org' },
    { type: 'personal', address: 'own@example.org', preferred: true },
  ],
  address: { line1: '1 Sample Street', line2: 'Flat 2', city: 'Sampleton' },
};

it('the patch of contact details has only the fields that were edited', () => {
  expect(contactPatch(profile, new Map([['line1', '2 Sample Street']]))).toEqual({
    address: { line1: '2 Sample Street' },
  });
});

it('the patch of contact details removes an address line that was cleared', () => {
  expect(contactPatch(profile, new Map([['line2', '']]))).toEqual({ address: { line2: null } });
});

it('the patch of contact details replaces the preferred email and keeps the others', () => {
  expect(contactPatch(profile, new Map([['email', 'new@example.org']]))).toEqual({
    emails: [profile.emails[0], { ...profile.emails[1], address: 'new@example.org' }],
  });
});

it('the patch of contact details has values without spaces around them', () => {
  const edits = new Map([
    ['line1', ' 2 Sample Street '],
    ['city', 'Sampleton '],
  ]);
  expect(contactPatch(profile, edits)).toEqual({ address: { line1: '2 Sample Street' } });
});

it('the patch of contact details adds a phone to a profile without one', () => {
  expect(contactPatch(profile, new Map([['phone', '555-0100']]))).toEqual({
    phones: [{ type: 'mobile', preferred: true, number: '555-0100' }],
  });
});
