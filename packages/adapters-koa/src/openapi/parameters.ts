import type { Parameter, Reference } from './format.ts';

const listNames = {
  page: 'Which page.',
  pageSize: 'How many on a page.',
  limit: 'How many at most.',
  cursor: 'Where the last answer ended.',
  offset: 'How many to pass over.',
  sort: 'By what.',
  status: 'Only those of this status.',
  type: 'Only those of this type.',
  from: 'From this date on.',
  to: 'Up to this date.',
} as const;

const listed = Object.fromEntries(
  Object.entries(listNames).map(([name, description]) => [
    `list.${name}`,
    {
      name,
      in: 'query',
      description: `${description} Passed on unread: what it means is the service’s business.`,
      schema: { type: 'string' },
    } satisfies Parameter,
  ]),
);

export const parameters: Readonly<Record<string, Parameter>> = {
  ...listed,
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the GET that was changed (RFC 9110, section 13.1.1): the write fails with 412 when the service has another version by now.',
    schema: {
      type: 'string',
      pattern: '^(?:\\*|(?:W/)?"[\\x21\\x23-\\x7e]*"(?:[ \\t]*,[ \\t]*(?:W/)?"[\\x21\\x23-\\x7e]*")*)$',
    },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'The caller’s id for this request; anything else than this pattern is passed over.',
    schema: { type: 'string', pattern: '^[0-9a-fA-F-]{16,64}$' },
  },
};

const named = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

export const requestId = named('X-Request-Id');

export const ifMatch = named('If-Match');

/** What every list may be asked for. Any other parameter is a 400 that names it. */
export const listParameters: readonly Reference[] = Object.keys(listed).map(named);

/** The locator in a path: no slash and no `..`, so that it stays one segment of any path. */
export const locator = (what: string, example: string): Parameter => ({
  name: 'locator',
  in: 'path',
  required: true,
  description: `Which ${what}, as its list names it.`,
  schema: { type: 'string', pattern: '^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$' },
  example,
});
