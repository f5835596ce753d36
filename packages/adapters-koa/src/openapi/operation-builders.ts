import type { Operation } from './format.ts';
import { bearer } from './responses.ts';

/** What differs between the operations of one file. */
type Described = Omit<Operation, 'operationId' | 'tags' | 'security'>;

/** Operations by id, with one tag. `security`: the accepted credentials; default: none, for public operations. */
export const operationsOf = <Id extends string>(
  tag: string,
  described: Readonly<Record<Id, Described>>,
  security: Operation['security'] = [],
): Readonly<Record<Id, Operation>> =>
  Object.fromEntries(
    Object.entries<Described>(described).map(([operationId, operation]) => [
      operationId,
      { operationId, tags: [tag] as const, security, ...operation },
    ]),
  ) as unknown as Record<Id, Operation>;

/** Operations under `/me`, which require a token. */
export const memberOperations = <Id extends string>(tag: string, described: Readonly<Record<Id, Described>>) =>
  operationsOf(tag, described, bearer);
