import { describe, expect, it } from 'vitest';
import { codesOf } from './error-codes.ts';

describe('the codes of an error', () => {
  it('are those of the error and of its causes, outermost first', () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const failed = new TypeError('fetch failed', {
      cause: Object.assign(new Error('tls'), { cause: reset, code: 'A' }),
    });
    expect(codesOf(failed)).toEqual(['A', 'ECONNRESET']);
  });

  it('end at an error that is its own cause', () => {
    const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    error.cause = error;
    expect(codesOf(error)).toEqual(['ECONNREFUSED']);
  });
});
