import { describe, expect, it } from 'vitest';
import { account } from './account-texts.en.ts';
import { contactErrors } from './contact-errors.ts';

const profile = {
  emails: [{ address: 'own@example.org' }],
  phones: [{ number: 'extension 12' }],
  address: { line1: '1 Sample Street', line2: 'Flat 2', city: 'Sampleton' },
};

const errorsOf = (edits: Readonly<Record<string, string>>) =>
  Object.fromEntries(contactErrors(profile, new Map(Object.entries(edits)), account.contact));

describe('the errors of contact details', () => {
  it('name every wrong field at once, in the order of the form', () => {
    const errors = errorsOf({ city: ' ', phone: 'abc', email: 'own@example' });
    expect(Object.entries(errors)).toEqual([
      ['email', account.contact.invalidEmail],
      ['phone', account.contact.invalidPhone],
      ['city', account.contact.missing.city],
    ]);
  });

  it('ignore what was not edited, even if it is wrong or missing', () => {
    expect(errorsOf({})).toEqual({});
    expect(errorsOf({ phone: 'extension 12', state: '' })).toEqual({});
  });

  it('let a member clear the apartment, but not the street', () => {
    expect(errorsOf({ line2: '' })).toEqual({});
    expect(errorsOf({ line1: '' })).toEqual({ line1: account.contact.missing.line1 });
  });

  it.each(['own@example', '@example.org', 'own@.org', 'own example.org', 'a b@example.org', 'own@example.org.'])(
    'refuse the email address %j',
    (email) => expect(errorsOf({ email })).toHaveProperty('email'),
  );

  it.each(['own+tag@mail.example.org', ' ö@beispiel.example '])('accept the email address %j', (email) =>
    expect(errorsOf({ email })).toEqual({}),
  );

  it.each(['555010', '1234567890123456', '555-0100 ext 1', '+', '55+50100'])('refuse the phone number %j', (phone) =>
    expect(errorsOf({ phone })).toHaveProperty('phone'),
  );

  it.each(['555-0100', '+1 (555) 010-0100', '030/555.01.00', '123456789012345'])(
    'accept the phone number %j',
    (phone) => expect(errorsOf({ phone })).toEqual({}),
  );
});
