/** The header of an idempotency key, if there is one. */
export const idempotencyField = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { 'idempotency-key': key };
