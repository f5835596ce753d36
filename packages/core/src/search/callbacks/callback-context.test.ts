import { expect, it } from 'vitest';
import { isMismatch } from './callback-context.ts';

const sent = { messageId: 'm-1', bapId: 'bap.example', domain: 'health' };
const absent = { messageId: undefined, bapId: undefined, domain: undefined };

it.each([
  [sent, false],
  [absent, false],
  [{ ...absent, domain: 'health' }, false],
  [{ ...sent, messageId: 'm-2' }, true],
  [{ ...sent, bapId: 'other.example' }, true],
  [{ ...absent, domain: 'mobility' }, true],
  [{ ...sent, messageId: null }, true],
])('a callback with %j is of another message: %s', (callback, isOfAnother) => {
  expect(isMismatch(callback, sent)).toBe(isOfAnother);
});
