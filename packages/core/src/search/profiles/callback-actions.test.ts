import { expect, it } from 'vitest';
import { callbackActions } from './callback-actions.ts';

it('callbackActions has the callback actions of Beckn 1.1 and 2.0, and no request', () => {
  expect([...callbackActions]).toEqual(['on_search', 'on_discover']);
});
