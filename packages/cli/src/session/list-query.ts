import type { ListQuery } from '@portico/core';
import type { CommandContext } from './command.ts';

/** The list parameters (contract, section 2) as options: `--page-size` is `pageSize`. */
export const listOptions = {
  page: 'page number',
  pageSize: 'items per page',
  limit: 'maximum number of items',
  cursor: 'cursor from the previous page',
  offset: 'number of items to skip',
  sort: 'sort order, as defined by the service',
  status: 'only items with this status',
  type: 'only items of this type',
  from: 'only items on or after this date',
  to: 'only items on or before this date',
} as const satisfies Record<ListQuery[number][0], string>;

export const listQuery = ({ options }: CommandContext): readonly (readonly [string, string])[] =>
  Object.keys(listOptions).flatMap((name) => {
    const value = options[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });

/** The parameter in `name=value`; undefined if there is no name. */
export const parameterIn = (text: string): readonly [name: string, value: string] | undefined => {
  const end = text.indexOf('=');
  return end > 0 ? [text.slice(0, end), text.slice(end + 1)] : undefined;
};
