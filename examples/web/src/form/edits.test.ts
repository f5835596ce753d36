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
  ] as const)('reports whether %j change two fields: %j', (edits, expected) => {
    expect(changes(values, new Map(edits))).toBe(expected);
  });

  it('keeps edits that the member made during a save', () => {
    const sent = new Map([['sms', true]]);
    const now = new Map([
      ['sms', true],
      ['email', false],
    ]);
    expect([...without(now, sent)]).toEqual([['email', false]]);
  });

  it('keeps an edit that reverts the saved value during the save', () => {
    const sent = new Map([['sms', true]]);
    expect([...without(new Map([['sms', false]]), sent)]).toEqual([['sms', false]]);
  });
});
