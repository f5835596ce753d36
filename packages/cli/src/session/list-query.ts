import type { ListQuery } from '@portico/core';
import type { Call } from '../program/call.ts';

/** The list parameters (contract, section 2) as options: `--page-size` is `pageSize`. */
export const listOptions = {
  page: 'page number',
  pageSize: 'items on a page',
  limit: 'most items to list',
  cursor: 'where the last page ended',
  offset: 'items to leave out',
  sort: 'order, in the words of the service',
  status: 'only those with this status',
  type: 'only those of this type',
  from: 'only those from this date on',
  to: 'only those up to this date',
} as const satisfies Record<ListQuery[number][0], string>;

export const listQuery = ({ options }: Call): readonly (readonly [string, string])[] =>
  Object.keys(listOptions).flatMap((name) => {
    const value = options[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
