import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from './failure.ts';

/** Validates an `Idempotency-Key` value, if there is one: 1 to 255 visible ASCII characters. Fails `invalid`. */
export const parseIdempotencyKey = (key: string | undefined): Result<string | undefined, Failure> =>
  key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)
    ? ok(key)
    : err(
        invalid('The Idempotency-Key header is not valid.', {
          path: '/Idempotency-Key',
          message: 'must be 1 to 255 visible ASCII characters without spaces',
        }),
      );
