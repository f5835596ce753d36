import {
  type AnyOwnUseCase,
  type DeclaredOperation,
  type DocumentResponse,
  type Failure,
  hasBody,
  isJsonOperation,
  isPart,
  type OwnService,
  type ServiceResponse,
} from '@portico/core';
import type { RouterContext } from '@koa/router';
import type { Result } from 'neverthrow';
import {
  bodyTypes,
  isWritten,
  ownServiceOperation,
  ownServiceSchemas,
} from '../openapi/operations/own-service.openapi.ts';
import { disconnectSignal } from '../request/disconnect-signal.ts';
import { conditionsOf, sendDocument } from '../response/send-document.ts';
import { sendFailure } from '../response/problem.ts';
import { relay } from '../response/reply.ts';
import { readRoute } from './read-route.ts';
import type { MemberRoutes, MemberState, Read, Route } from './route.ts';

/** The routes of a service of your own. They serve its use cases; for the OpenAPI document, the declaration is enough. */
export const ownServiceRoutes = ({
  declaration,
  useCases = {},
}: Pick<OwnService, 'declaration'> & Partial<OwnService>): MemberRoutes => ({
  service: declaration.name,
  schemas: ownServiceSchemas(declaration),
  routes: Object.entries(declaration.operations).map(([name, operation]) => {
    const useCase = useCases[name] as AnyOwnUseCase;
    const described = ownServiceOperation(declaration, name, operation);
    const sendsEtag = isWritten(declaration, operation);
    if (isPart(operation))
      return readRoute(operation.memberPath, described, () => readOf(useCase), { sendsEtag, keepsStatus: true });
    return {
      method: operation.method,
      path: operation.memberPath,
      operation: described,
      ...(hasBody(operation) && { body: bodyTypes(operation) }),
      handle: () =>
        isJsonOperation(operation) ? jsonHandler(useCase, operation, sendsEtag) : streamHandler(useCase, operation),
    };
  }),
});

const readOf =
  (useCase: AnyOwnUseCase): Read =>
  (member, query) =>
    useCase(member, { query, parameters: noParameters }) as ReturnType<Read>;

type Handler = ReturnType<Route<unknown, unknown, MemberState>['handle']>;

const jsonHandler =
  (useCase: AnyOwnUseCase, operation: DeclaredOperation, sendsEtag: boolean): Handler =>
  async (ctx) => {
    const result = await useCase(ctx.state.member, inputOf(ctx, operation));
    return relay(ctx, result as Result<ServiceResponse, Failure>, sendsEtag);
  };

const streamHandler =
  (useCase: AnyOwnUseCase, operation: DeclaredOperation): Handler =>
  async (ctx) => {
    const input = inputOf(ctx, operation);
    const conditions = operation.method === 'GET' ? conditionsOf(ctx) : {};
    const result = await useCase(ctx.state.member, { ...input, conditions, signal: disconnectSignal(ctx) });
    if (result.isErr()) return sendFailure(ctx, result.error);
    return sendDocument(ctx, result.value as DocumentResponse, operation.type, fileName(operation, ctx.params));
  };

const inputOf = (
  ctx: RouterContext<MemberState>,
  { method, parameters }: DeclaredOperation,
): Parameters<AnyOwnUseCase>[1] => {
  const { body, mediaType } = ctx.state;
  const { 'idempotency-key': idempotencyKey, 'if-match': ifMatch } = ctx.headers;
  // Without parameters, the path was found in a map, and there are no `params`.
  const common = { query: ctx.querystring, parameters: parameters.length > 0 ? ctx.params : noParameters };
  switch (method) {
    case 'GET':
      return common;
    case 'DELETE':
      return { ...common, ifMatch };
    case 'PUT':
      return { ...common, body, ifMatch };
    case 'PATCH':
      return { ...common, body, mediaType, ifMatch };
    case 'POST':
      return { ...common, body, idempotencyKey: idempotencyKey as string | undefined };
  }
};

const noParameters = {};

/**
 * `AUTH-1-letter` for `/me/authorizations/{locator}/letter`: the last parameter and the segments after it. Segments of a
 * route and, without colons, values of parameters are safe in a header and in a file name.
 */
const fileName = ({ memberPath }: DeclaredOperation, parameters: Readonly<Record<string, string>> = {}): string => {
  const segments = memberPath.split('/');
  const last = segments.findLastIndex((segment) => segment.startsWith('{'));
  if (last < 0) return segments.at(-1)!;
  const value = parameters[segments[last]!.slice(1, -1)] ?? '';
  return [value.replaceAll(':', '-'), ...segments.slice(last + 1)].join('-');
};
