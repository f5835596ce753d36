import { startingPreferences } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { choicesOf, isSent, missingChoices, withChoices } from './choices.ts';

describe('preferences', () => {
  it('are not chosen before the member has set them', () => {
    expect([...choicesOf(null).values()]).toEqual(Array.from({ length: 6 }, () => undefined));
  });

  it('are written all six, with the choices of the member and without other fields', () => {
    const saved = { ...startingPreferences, other: 'kept by the service' };
    expect(withChoices(saved, new Map([['sms', true]]))).toEqual({ ...startingPreferences, sms: true });
  });

  it('are missing until each of the six is on or off', () => {
    const choices = choicesOf({ ...startingPreferences, sms: 'yes' as never });
    expect(missingChoices((name) => choices.get(name))).toEqual(['sms']);
    expect(missingChoices(() => undefined)).toHaveLength(6);
    expect(missingChoices(() => false)).toEqual([]);
  });

  it.each([
    [true, true, true],
    [true, false, false],
    [false, undefined, false],
    [undefined, false, false],
    [true, undefined, undefined],
    [undefined, true, undefined],
  ])('notifications with the topic %j and the channel %j are sent: %j', (topic, channel, expected) => {
    expect(isSent(topic, channel)).toBe(expected);
  });
});
