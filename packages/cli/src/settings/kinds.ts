import { z } from 'zod';

/** Every check says what would be right, so that a problem can be fixed without the manual. */
export const text = (what: string) => z.string(what).min(1, what);
export const anyUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
/** `fetch` refuses an address with credentials, and would only say so at the first request. */
export const url = anyUrl.refine(
  (value) => !URL.canParse(value) || (new URL(value).username === '' && new URL(value).password === ''),
  'must be a URL without user and password',
);
export const whole = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int(error).min(least, error).max(most, error);
};
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `is not a setting; known here: ${Object.keys(shape).join(', ')}`
        : 'must be an object',
  });
export const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);
export const list = <Item extends z.ZodType>(item: Item, what: string) => z.array(item, what).min(1, what);

export const baseUrl = url.refine((value) => !/[?#]/.test(value), 'must be a base URL, without query and fragment');

export const milliseconds = whole(1, 600_000);
