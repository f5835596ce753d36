import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { DocumentResponse } from '../documents/documents.port.ts';
import { withSingleRange } from '../documents/documents.ts';
import { parseIfMatch } from '../shared/entity-tag.ts';
import { type Failure, invalid } from '../shared/failure.ts';
import { parseIdempotencyKey } from '../shared/idempotency-key.ts';
import { type Json, noContent } from '../shared/json/json.ts';
import { parseQuery, type QueryByName, type QueryInput } from '../shared/list-query.ts';
import { isLocator, locatorRule } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';
import { parseAnyObject } from '../shared/request-body.ts';
import {
  type DeclaredOperation,
  hasBody,
  isJsonOperation,
  type OperationDeclaration,
  type ServiceDeclaration,
} from './declaration.ts';
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
 * undeclared query parameter and a body that is not an object, and remove fields that name a member from it.
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
  input?: Partial<Omit<AnyServiceRequest, 'query'>> & { readonly query?: QueryInput | QueryByName },
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

type AnyCall = (member: Member, request: AnyServiceRequest) => ResultAsync<ServiceResponse | DocumentResponse, Failure>;

type AnyPort = Readonly<Record<string, AnyCall>>;

const useCaseOf = (operation: DeclaredOperation, call: AnyCall): AnyOwnUseCase => {
  const parse = requestParser(operation);
  return (member, input = {}) => parse(input).asyncAndThen((request) => call(member, request));
};

type AnyInput = NonNullable<Parameters<AnyOwnUseCase>[1]>;

/** Validates the requests of an operation. */
const requestParser = (operation: DeclaredOperation): ((input: AnyInput) => Result<AnyServiceRequest, Failure>) => {
  const parseParameters = parametersParser(operation.parameters);
  const takesBody = hasBody(operation);
  const isPlainRead = operation.method === 'GET' && isJsonOperation(operation);
  return (input) => {
    const known = parseParameters(input.parameters ?? noParameters);
    if (known.isErr()) return err(known.error);
    const relayed = parseQuery(input.query ?? '', operation.query);
    if (relayed.isErr()) return err(relayed.error);
    const parsed = { parameters: known.value, query: relayed.value };
    // Most requests end here.
    if (isPlainRead) return ok(parsed);
    const { body = noContent, conditions, ...others } = input;
    const rest = { ...others, ...parsed, ...(conditions && { conditions: withSingleRange(conditions) }) };
    return parseHeadersAndBody(rest, takesBody ? body : undefined);
  };
};

const noParameters = {};

const parseHeadersAndBody = (request: AnyServiceRequest, body: Json | undefined): Result<AnyServiceRequest, Failure> =>
  parseIdempotencyKey(request.idempotencyKey)
    .andThen(() => parseIfMatch(request.ifMatch))
    .andThen(() => (body ? parseAnyObject(body).map((parsed) => ({ ...request, body: parsed })) : ok(request)));

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
