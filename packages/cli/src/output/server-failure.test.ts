import { describe, expect, it } from 'vitest';
import { serverErrorOf } from './server-failure.ts';

describe('the error of a call to a running Portico', () => {
  it('the error for a response that is too large names the limit', () => {
    expect(serverErrorOf({ kind: 'response-too-large', limitBytes: 268_435_456 }, 'search')).toMatchObject({
      exitCode: 4,
      document: { service: 'search', reason: 'too-large' },
      hint: 'The limit is 268435456 bytes.',
    });
  });
});
