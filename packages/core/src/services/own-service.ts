import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { DocumentResponse } from '../documents/documents.port.ts';
import { withSingleRange } from '../documents/documents.ts';
import { parseIfMatch } from '../shared/entity-tag.ts';
import { type Failure, invalid } from '../shared/failure.ts';
import { parseIdempotencyKey } from '../shared/idempotency-key.ts';
import type { Json } from '../shared/json.ts';
import { type ListQueryInput, parseQuery } from '../shared/list-query.ts';
import { isLocator, locatorRule } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';
import { parseObjectBody } from '../shared/request-body.ts';
import { type DeclaredOperation, hasBody, type OperationDeclaration, type ServiceDeclaration } from './declaration.ts';
import type {
  AnyServiceRequest,
  ServiceInput,
  ServicePort,
  ServiceResponse,
  ServiceResult,
} from './own-service.port.ts';

type Arguments<Input> = Partial<Input> extends Input ? [input?: Input] : [input: Input];

/** A method, because parameters of methods are bivariant: so every `OwnService<…>` is an `OwnService`. */
interface UseCaseOf<Operation extends OperationDeclaration> {
  call(member: Member, ...input: Arguments<ServiceInput<Operation>>): ServiceResult<Operation>;
}

/**
 * The use cases of a declared service, one per operation. They fail `invalid` for a parameter that is not a locator, an
 * undeclared query parameter and a body that is not a non-empty object, and remove fields that name a member from it.
 */
export type OwnUseCases<Declaration extends ServiceDeclaration> = {
  readonly [Name in keyof Declaration['operations']]: UseCaseOf<Declaration['operations'][Name]>['call'];
};

/** A declared service with its use cases, for `createUseCases`. Create it with `ownService`. */
export interface OwnService<Declaration extends ServiceDeclaration = ServiceDeclaration> {
  readonly declaration: Declaration;
  readonly useCases: OwnUseCases<Declaration>;
}

/** Any use case of a declared service. */
export type AnyOwnUseCase = (
  member: Member,
  input?: Partial<Omit<AnyServiceRequest, 'query'>> & { readonly query?: ListQueryInput | ByName },
) => ResultAsync<ServiceResponse | DocumentResponse, Failure>;

/** Joins a declaration and its port. A port without one of the operations does not compile. */
export const ownService = <Declaration extends ServiceDeclaration>(
  declaration: Declaration,
  port: ServicePort<NoInfer<Declaration>>,
): OwnService<Declaration> => {
  const useCases = Object.entries<DeclaredOperation>(declaration.operations).map(([name, operation]) => [
    name,
    useCaseOf(operation, (member, request) => (port as unknown as AnyPort)[name]!(member, request)),
  ]);
  return { declaration, useCases: Object.fromEntries(useCases) as OwnUseCases<Declaration> };
};

type ByName = Readonly<Record<string, string | undefined>>;

type AnyCall = (member: Member, request: AnyServiceRequest) => ResultAsync<ServiceResponse | DocumentResponse, Failure>;

type AnyPort = Readonly<Record<string, AnyCall>>;

const useCaseOf = (operation: DeclaredOperation, call: AnyCall): AnyOwnUseCase => {
  const parseParameters = parametersParser(operation.parameters);
  const takesBody = hasBody(operation);
  return (member, { parameters = {}, query = '', body, idempotencyKey, ifMatch, conditions, ...others } = {}) =>
    parseParameters(parameters)
      .andThen((known) =>
        parseQuery(pairsOf(query), operation.query).map((relayed) => ({ parameters: known, query: relayed })),
      )
      .andThen((request) => parseIdempotencyKey(idempotencyKey).map((key) => ({ ...request, idempotencyKey: key })))
      .andThen((request) => parseIfMatch(ifMatch).map(() => ({ ...request, ifMatch })))
      .andThen((request) => (takesBody ? withBody(request, body) : ok(request)))
      .asyncAndThen((request) =>
        call(member, { ...others, ...request, ...(conditions && { conditions: withSingleRange(conditions) }) }),
      );
};

const pairsOf = (query: ListQueryInput | ByName): ListQueryInput =>
  typeof query === 'string' || Symbol.iterator in query
    ? query
    : Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));

const withBody = <Request extends object>(request: Request, body: Json | undefined): Result<Request, Failure> =>
  parseObjectBody(body ?? { text: '', value: undefined }).map((parsed) => ({ ...request, body: parsed }));

/** Every parameter of a route follows the rule of locators (contract, section 2). */
const parametersParser =
  (names: readonly string[]) =>
  (given: Readonly<Record<string, string>>): Result<AnyServiceRequest['parameters'], Failure> => {
    const parameters: Record<string, string> = {};
    for (const name of names) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (!isLocator(value))
        return err(
          invalid(`The parameter ${name} in the path is not valid.`, { path: `/${name}`, message: locatorRule }),
        );
      parameters[name] = value;
    }
    return ok(parameters);
  };
