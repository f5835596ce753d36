import { describe, expect, it } from 'vitest';
import { changes, without } from './edits.ts';

const values = new Map([
  ['email', true],
  ['sms', false],
]);

describe('edits', () => {
  it.each([
    [[], false],
    [[['email', true]], false],
    [[['email', false]], true],
    [[['gone', true]], false],
  ] as const)('%j of two fields change something: %j', (edits, expected) => {
    expect(changes(values, new Map(edits))).toBe(expected);
  });

  it('are kept after a save where the member went on changing', () => {
    const sent = new Map([['sms', true]]);
    const now = new Map([
      ['sms', true],
      ['email', false],
    ]);
    expect([...without(now, sent)]).toEqual([['email', false]]);
  });

  it('of what was sent are kept when the member changed it back meanwhile', () => {
    const sent = new Map([['sms', true]]);
    expect([...without(new Map([['sms', false]]), sent)]).toEqual([['sms', false]]);
  });
});
