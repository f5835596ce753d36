import { describe, expect, it } from 'vitest';
import { codesOf, isConnectionFailure, isTimeout } from './error-codes.ts';

const coded = (code: string, cause?: Error) => Object.assign(new Error(code, { cause }), { code });

/** The error of undici for a host of which one address does not respond and the other refuses the connection. */
const dualStack = coded(
  'UND_ERR_CONNECT_TIMEOUT',
  Object.assign(new AggregateError([coded('ETIMEDOUT'), coded('ECONNREFUSED')]), { code: 'ETIMEDOUT' }),
);

describe('the codes of an error', () => {
  it('are those of the error and of its causes, outermost first', () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const failed = new TypeError('fetch failed', {
      cause: Object.assign(new Error('tls'), { cause: reset, code: 'A' }),
    });
    expect(codesOf(failed)).toEqual(['A', 'ECONNRESET']);
  });

  it('are also those of the errors in it', () => {
    expect(codesOf(dualStack)).toEqual(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT', 'ETIMEDOUT', 'ECONNREFUSED']);
  });

  it('end at an error that is its own cause', () => {
    const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    error.cause = error;
    expect(codesOf(error)).toEqual(['ECONNREFUSED']);
  });
});

it.each([
  ['a timeout', coded('UND_ERR_CONNECT_TIMEOUT'), [false, true]],
  ['a tunnel that is not opened', coded('UND_ERR_HEADERS_TIMEOUT'), [false, true]],
  ['a refused connection', coded('ECONNREFUSED'), [true, false]],
  ['a reset connection', coded('ECONNRESET'), [true, false]],
  ['a host of which one address refuses the connection', dualStack, [true, false]],
  ['an unknown host', coded('ENOTFOUND'), [false, false]],
] as const)('a connection failure and a timeout are different: %s', (_, error, expected) => {
  expect([isConnectionFailure(error), isTimeout(error)]).toEqual(expected);
});
