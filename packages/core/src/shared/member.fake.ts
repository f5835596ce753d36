import { Member, type PartyLocator } from './member.ts';

/** A member for tests, as if verified. The token goes to whatever adapter is asked. */
export const aMember = (locator = 'PTY-1', token = 'fake.00000000.sign'): Member =>
  new Member(locator as PartyLocator, token);
