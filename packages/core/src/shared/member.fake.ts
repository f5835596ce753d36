import { Member, type PartyLocator } from './member.ts';

/** Creates a member for tests, without verification. The token is sent to the adapters under test. */
export const aMember = (locator = 'PTY-1', token = 'fake.00000000.sign'): Member =>
  new Member(locator as PartyLocator, token);
