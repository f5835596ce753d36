import {
  type DeclarationSettings,
  type DeclaredOperation,
  jsonType,
  type OperationDeclaration,
  type OperationDeclarations,
  type ServiceDeclaration,
} from './declaration.ts';
import { DeclarationError, declarationProblems } from './declaration-problems.ts';
import { parseRoute } from './route.ts';

/**
 * Declares a service of your own (contract, section 8). Throws a DeclarationError, a TypeError that names every broken rule.
 * `name` is the `service` of failures, metrics and logs: `^[a-z][a-z0-9-]{0,31}$`.
 */
export const declareService = <const Operations extends OperationDeclarations>(
  name: string,
  operations: Operations,
  { memberFrom = 'path' }: DeclarationSettings = {},
): ServiceDeclaration<Operations> => {
  const problems = declarationProblems(name, operations, { memberFrom });
  if (problems.length > 0) throw new DeclarationError(problems.join(' '));
  const declared = Object.entries(operations).map(([operation, given]) => [operation, withDefaults(given)]);
  return Object.freeze({
    name,
    memberFrom,
    operations: Object.freeze(Object.fromEntries(declared)) as ServiceDeclaration<Operations>['operations'],
  });
};

const withDefaults = (given: OperationDeclaration): DeclaredOperation => {
  const { method, path, parameters } = parseRoute(given.route);
  return Object.freeze({
    ...given,
    method,
    memberPath: path,
    parameters: Object.freeze(parameters),
    query: Object.freeze([...(given.query ?? [])]),
    type: given.type ?? jsonType,
  });
};
