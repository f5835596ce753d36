import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from './failure.ts';

export const idempotencyKeyPattern = String.raw`^[\x21-\x7e]{1,255}$`;
const idempotencyKey = new RegExp(idempotencyKeyPattern);

/** Validates an `Idempotency-Key` value, if there is one: 1 to 255 visible ASCII characters. Fails `invalid`. */
export const parseIdempotencyKey = (key: string | undefined): Result<string | undefined, Failure> =>
  key === undefined || idempotencyKey.test(key)
    ? ok(key)
    : err(
        invalid('The Idempotency-Key header is not valid.', {
          path: '/Idempotency-Key',
          message: 'must be 1 to 255 visible ASCII characters without spaces',
        }),
      );
