import { builtInRoutes, type DocumentResponse, parseRoute, type RouteMethod, upstream } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { type CliError, fail, usageError } from '../../output/cli-error.ts';
import { cliErrorOf } from '../../output/failure-message.ts';
import { print } from '../../output/print.ts';
import { showResource } from '../../output/view.ts';
import { type CommandContext, type CommandHandler, stringOption } from '../../session/command.ts';
import { readJsonInput } from '../../session/input.ts';
import { unlessInterrupted } from '../../session/interrupt.ts';
import { parameterIn } from '../../session/list-query.ts';
import { configuredUseCases, memberOf, notConfigured } from '../../session/session.ts';
import { saveDocument } from '../documents.ts';
import { apiOnServer } from './api-on-server.ts';
import { type ApiResponse, memberApiRoutes, type RouteRequest, routesAt } from './member-api-routes.ts';

/** Sends a request to any member route: of the settings' services, or of a running Portico with `--server`. */
export const api: CommandHandler = async (context) => {
  const [method, path] = context.args as readonly [RouteMethod, string];
  const parts = await unlessInterrupted(context.signal, requestParts(context, method));
  if (parts === 'aborted') return 1;
  if (parts.isErr()) return fail(parts.error, context);
  const refusal = new AbortController();
  const request = { ...parts.value, signal: AbortSignal.any([context.signal, refusal.signal]) };
  const server = stringOption(context, 'server');
  const sent =
    server === undefined
      ? callUseCase(context, method, path, request)
      : apiOnServer(context, server, method, path, request);
  const result = await unlessInterrupted(context.signal, sent);
  if (result === 'aborted') return 1;
  if (result.isErr()) return fail(result.error, context);
  const { response, service } = result.value;
  if ('text' in response) return print(response, showResource([]), exactInFiles(context));
  if (server !== undefined && isJsonRoute(method, path)) {
    // A page of a proxy, such as for sign-in, is not the response of Portico.
    refusal.abort();
    return fail(cliErrorOf(upstream(service, 'malformed')), context);
  }
  const problem = documentProblem(context);
  if (!problem) return writeDocument(context, response, service);
  // Ends the request, whose content is not read.
  refusal.abort();
  return fail(problem, context);
};

/** Without a format, a file or pipe gets what `--json` prints: the view for people cuts deep levels. */
const exactInFiles = (context: CommandContext): CommandContext => {
  const isForPeople = process.stdout.isTTY || context.output !== undefined || context.jq !== undefined;
  return isForPeople ? context : { ...context, json: true };
};

/** Whether this is a route of Portico itself whose response is JSON. */
const isJsonRoute = (method: RouteMethod, path: string): boolean => {
  if (method === 'GET' && path === '/me') return true;
  const keys = builtInRoutes.filter((key) => key !== 'GET /me/documents/{locator}');
  return routesAt(
    keys.map((key) => ({ key })),
    path,
  ).some(({ route }) => parseRoute(route.key).method === method);
};

type RequestParts = Omit<RouteRequest, 'parameters' | 'signal'>;

const requestParts = async (context: CommandContext, method: RouteMethod): Promise<Result<RequestParts, CliError>> => {
  const query = parametersIn(context.options['query']);
  if (query.isErr()) return err(query.error);
  const file = stringOption(context, 'input');
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  if (takesBody !== (file !== undefined))
    return err(
      usageError(takesBody ? `${method} needs a body: --input <file>, or --input -.` : `${method} takes no body.`),
    );
  if (file === undefined) return ok({ query: query.value });
  return (await readJsonInput(context, file)).map((body) => ({ query: query.value, body }));
};

const parametersIn = (given: CommandContext['options'][string]): Result<RequestParts['query'], CliError> => {
  const parameters = (Array.isArray(given) ? (given as readonly string[]) : []).map(parameterIn);
  return parameters.every((one) => one !== undefined)
    ? ok(parameters)
    : err(usageError('A query parameter must be name=value.'));
};

const callUseCase = async (
  context: CommandContext,
  method: RouteMethod,
  path: string,
  request: Omit<RouteRequest, 'parameters'>,
): Promise<Result<ApiResponse, CliError>> => {
  const use = configuredUseCases(context);
  if (use.isErr()) return err(use.error);
  if (path === '/me' && method === 'GET') return err(severalRoutes);
  const found = routesAt(memberApiRoutes(use.value), path);
  const match = found.find(({ route }) => parseRoute(route.key).method === method);
  if (!match) return err(noSuchRoute(found.map(({ route }) => parseRoute(route.key).method)));
  const { call, service } = match.route;
  if (!call) return err(notConfigured(service));
  const signedIn = await memberOf(context, use.value, method === 'GET' ? 'read' : 'write');
  if (signedIn.isErr()) return err(signedIn.error);
  // A refresh of the sign-in goes on after Ctrl-C; the request must not follow it. The error is not shown.
  if (request.signal.aborted) return err(usageError('Interrupted.'));
  return call(signedIn.value.member, { ...request, parameters: match.parameters })
    .map((response) => ({ response, service }))
    .mapErr(cliErrorOf);
};

const severalRoutes = usageError('GET /me has the results of several routes.', 'Use "portico me", or add --server.');

/** Does not repeat the path, which may contain a locator. */
const noSuchRoute = (methods: readonly RouteMethod[]): CliError =>
  methods.length > 0
    ? usageError(`The path has no such method. Methods of this path: ${methods.join(', ')}.`)
    : usageError(
        'There is no member route with this path.',
        'A path begins with /me/; use --query for query parameters. "portico config check" lists the routes.',
      );

/** Why a document is not written to stdout. */
const documentProblem = ({ json, output, jq }: CommandContext): CliError | undefined => {
  const hint = 'Write it to a file: portico me api GET <path> > file';
  if (json || output !== undefined || jq !== undefined)
    return usageError('The response is a document, not JSON.', hint);
  return process.stdout.isTTY ? usageError('Refusing to write a document to the terminal.', hint) : undefined;
};

const writeDocument = async (context: CommandContext, document: DocumentResponse, service: string): Promise<number> => {
  if (!('content' in document)) return 0;
  const saved = await saveDocument(document, '-', context.signal, service);
  return typeof saved === 'number' ? 0 : fail(saved, context);
};
