import { type DocumentResponse, type Json, parseRoute, type RouteMethod } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { type CliError, fail, usageError } from '../../output/cli-error.ts';
import { cliErrorOf } from '../../output/failure-message.ts';
import { print } from '../../output/print.ts';
import { showResource } from '../../output/view.ts';
import { type CommandContext, type CommandHandler, stringOption } from '../../program/command.ts';
import { readJsonInput } from '../../session/input.ts';
import { unlessAborted } from '../../session/interrupt.ts';
import { configuredUseCases, memberOf, notConfigured } from '../../session/session.ts';
import { saveDocument } from '../documents.ts';
import { apiOnServer } from './api-on-server.ts';
import { memberApiRoutes, type RouteRequest, routesAt } from './member-api-routes.ts';

/** Sends a request to any member route: of the settings' services, or of a running Portico with `--server`. */
export const api: CommandHandler = async (context) => {
  const [method, path] = context.args as readonly [RouteMethod, string];
  const parts = await unlessAborted(context.signal, requestParts(context, method));
  if (parts === 'aborted') return 1;
  if (parts.isErr()) return fail(parts.error, context);
  const server = stringOption(context, 'server');
  const sent =
    server === undefined
      ? callUseCase(context, method, path, parts.value)
      : apiOnServer(context, server, method, path, parts.value);
  const result = await unlessAborted(context.signal, sent);
  if (result === 'aborted') return 1;
  if (result.isErr()) return fail(result.error, context);
  const { value } = result;
  return 'text' in value ? print(value, showResource([]), context) : writeDocument(context, value);
};

type RequestParts = Omit<RouteRequest, 'parameters'>;

const requestParts = async (context: CommandContext, method: RouteMethod): Promise<Result<RequestParts, CliError>> => {
  const { signal } = context;
  const query = parametersIn(context.options['query']);
  if (query.isErr()) return err(query.error);
  const file = stringOption(context, 'input');
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  if (takesBody !== (file !== undefined))
    return err(
      usageError(takesBody ? `${method} needs a body: --input <file>, or --input -.` : `${method} takes no body.`),
    );
  if (file === undefined) return ok({ query: query.value, signal });
  return (await readJsonInput(context, file)).map((body) => ({ query: query.value, body, signal }));
};

const parametersIn = (given: CommandContext['options'][string]): Result<RequestParts['query'], CliError> => {
  const parameters = Array.isArray(given) ? (given as readonly string[]) : [];
  return parameters.every((one) => one.indexOf('=') > 0)
    ? ok(parameters.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)] as const))
    : err(usageError('A query parameter must be name=value.'));
};

const callUseCase = async (
  context: CommandContext,
  method: RouteMethod,
  path: string,
  parts: RequestParts,
): Promise<Result<Json | DocumentResponse, CliError>> => {
  const use = configuredUseCases(context);
  if (use.isErr()) return err(use.error);
  const found = routesAt(memberApiRoutes(use.value), path);
  const match = found.find(({ route }) => parseRoute(route.key).method === method);
  if (!match) return err(noSuchRoute(found.map(({ route }) => parseRoute(route.key).method)));
  const { call, service } = match.route;
  if (!call) return err(notConfigured(service));
  const signedIn = await memberOf(context, use.value, method === 'GET' ? 'read' : 'write');
  return signedIn.isErr()
    ? err(signedIn.error)
    : call(signedIn.value.member, { ...parts, parameters: match.parameters }).mapErr(cliErrorOf);
};

/** Does not repeat the path, which may contain a locator. */
const noSuchRoute = (methods: readonly RouteMethod[]): CliError =>
  methods.length > 0
    ? usageError(`The path has no such method. Methods of this path: ${methods.join(', ')}.`)
    : usageError(
        'There is no member route with this path.',
        'A path begins with /me/; use --query for query parameters. "portico config check" lists the routes.',
      );

const writeDocument = async (context: CommandContext, document: DocumentResponse): Promise<number> => {
  if (!('content' in document)) return 0;
  const formats = context.json || context.output !== undefined || context.jq !== undefined;
  if (formats || process.stdout.isTTY) {
    await document.content[Symbol.asyncIterator]().return?.();
    return fail(
      usageError(
        formats ? 'The response is a document, not JSON.' : 'Refusing to write a document to the terminal.',
        'Write it to a file: portico me api GET <path> > file',
      ),
      context,
    );
  }
  const saved = await saveDocument(document, '-', context.signal);
  return typeof saved === 'number' ? 0 : fail(saved, context);
};
