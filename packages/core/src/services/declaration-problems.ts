import { isKnownService, isServiceName } from '../shared/failure.ts';
import { isMemberField } from '../shared/request-body.ts';
import { type DeclarationSettings, isPart, type ServiceDeclaration } from './declaration.ts';
import {
  builtInRoutes,
  collisionProblem,
  isParameter,
  isRouteKey,
  parametersIn,
  partProblem,
  routeProblem,
  type RouteKey,
} from './route.ts';

/** An operation whose route and path are not checked yet, for example from a settings file. */
export interface UncheckedOperation {
  readonly route: string;
  readonly path: string;
  readonly query?: readonly string[] | undefined;
  readonly type?: string | undefined;
}

/** The route of another service. A key alone counts as a route with JSON responses. */
export type TakenRoute = RouteKey | { readonly route: RouteKey; readonly type?: string | undefined };

/**
 * Returns every broken rule of a service of your own as a sentence (contract, section 8): its name, its routes and their
 * paths, and collisions with built-in routes, with each other and with `taken`, the routes of other services. The parts
 * of `GET /me` must have different names, too (section 12).
 */
export const declarationProblems = (
  name: string,
  operations: Readonly<Record<string, UncheckedOperation>> = {},
  { memberFrom = 'path', taken = [] }: DeclarationSettings & { readonly taken?: readonly TakenRoute[] } = {},
): readonly string[] => {
  const all = Object.entries(operations);
  return [
    ...nameProblems(name),
    ...(all.length === 0 ? [`The service "${name}" is not built in, so it needs routes.`] : []),
    ...all.flatMap(([operation, declared]) => operationProblems(operation, declared, memberFrom)),
    ...collisions(
      all.map(([, operation]) => operation),
      [...builtInRoutes, ...taken],
    ),
  ];
};

const nameProblems = (name: string): readonly string[] => {
  const isValid: boolean = isServiceName(name);
  if (!isValid)
    return [
      `The service name "${name}" must be 1 to 32 lower-case letters, digits and hyphens, and start with a letter.`,
    ];
  return isKnownService(name) ? [`The service name "${name}" is used by Portico itself; choose another one.`] : [];
};

const operationProblems = (
  operation: string,
  { route, path, query = [], type }: UncheckedOperation,
  memberFrom: 'path' | 'token',
): readonly string[] => {
  const problem = routeProblem(route);
  if (problem !== undefined) return [problem];
  return [
    ...(operation === route || /^[A-Za-z][A-Za-z0-9]*$/.test(operation)
      ? []
      : [`The operation name "${operation}" must be letters and digits, or its route.`]),
    ...(reservedNames.has(operation) ? [`The operation name "${operation}" is reserved; choose another one.`] : []),
    ...pathProblems(route, path, memberFrom),
    ...query.flatMap((parameter) => queryProblems(route, parameter)),
    ...(type === undefined || mediaType.test(type)
      ? []
      : [`The type "${type}" of "${route}" must be a media type in lower case, without parameters.`]),
  ];
};

/** An object with `then` is taken for a promise. The others are properties of a fake service. */
const reservedNames: ReadonlySet<string> = new Set(['then', 'calls', 'failWith', 'failOnce']);

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** RFC 3986, section 3.3, without percent-encoding: an encoded slash or dot could leave the path. */
const literalSegment = /^[\w.~!$&'()*+,;=:@-]+$/;

const pathProblems = (route: string, path: string, memberFrom: 'path' | 'token'): readonly string[] => {
  const named = `The path "${path}" of "${route}"`;
  if (path.includes('..')) return [`${named} must not contain "..".`];
  if (/[?#]/.test(path)) return [`${named} must have no query and no fragment.`];
  const [start, ...segments] = path.split('/');
  const wrong = segments.find((segment) => !isParameter(segment) && (segment === '.' || !literalSegment.test(segment)));
  if (start !== '' || segments.length === 0 || wrong !== undefined)
    return [`${named} must be "/" and segments; each is a literal without percent-encoding, or a {parameter}.`];
  const wanted = [...parametersIn(route), ...(memberFrom === 'path' ? ['partyLocator'] : [])];
  const found = parametersIn(path);
  const unknown = [...new Set(found)].filter((name) => !wanted.includes(name));
  return [
    ...wanted.filter((name) => found.filter((each) => each === name).length !== 1).map((name) => missing(named, name)),
    ...unknown.map((name) =>
      name === 'partyLocator'
        ? `${named} must not contain {partyLocator}, because the service reads the member from the token.`
        : `${named} has the unknown parameter {${name}}; the route has no such parameter.`,
    ),
  ];
};

const missing = (named: string, parameter: string): string =>
  parameter === 'partyLocator'
    ? `${named} must contain {partyLocator} exactly once, so that it leads to one member.`
    : `${named} must contain {${parameter}} of the route exactly once.`;

const queryProblems = (route: string, parameter: string): readonly string[] => {
  if (isMemberField(parameter))
    return [`The query parameter "${parameter}" of "${route}" must not name a member: the access token identifies it.`];
  return /^[\w.~-]{1,64}$/.test(parameter)
    ? []
    : [`The query parameter "${parameter}" of "${route}" must be 1 to 64 letters, digits, "_", ".", "~" and "-".`];
};

/** The collisions of valid routes with each other and with `taken`. */
const collisions = (
  operations: readonly { readonly route: string; readonly type?: string | undefined }[],
  taken: readonly TakenRoute[],
): readonly string[] => {
  const valid = operations.flatMap(({ route, type }) => (isRouteKey(route) ? [{ route, type }] : []));
  const others = taken.map((other) => (typeof other === 'string' ? { route: other } : other));
  return valid.flatMap((operation, at) => {
    const problem = [...others, ...valid.slice(0, at)]
      .map((other) => collisionProblem(operation.route, other.route) ?? clashOfParts(operation, other))
      .find(Boolean);
    return problem === undefined ? [] : [problem];
  });
};

const clashOfParts = (one: Exclude<TakenRoute, string>, other: Exclude<TakenRoute, string>): string | undefined =>
  isPart(one) && isPart(other) ? partProblem(one.route, other.route) : undefined;

/** Services of your own that cannot be served. The message names each broken rule, and contains no private data. */
export class DeclarationError extends TypeError {
  override readonly name = 'DeclarationError';
}

/** Throws a DeclarationError when two services have the same name, or routes that cannot be served together. */
export const checkCollisions = (declarations: readonly ServiceDeclaration[]): void => {
  const names = new Set<string>();
  for (const { name } of declarations) {
    if (names.has(name)) throw new DeclarationError(`There are two services with the name "${name}".`);
    names.add(name);
  }
  const own = declarations.flatMap(({ operations }) => Object.values(operations));
  const [problem] = collisions(own, builtInRoutes);
  if (problem !== undefined) throw new DeclarationError(problem);
};
