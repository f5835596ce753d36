import { type ClientFailure, DocumentInterruptedError, type MemberPath } from '@portico/client';
import { interruptedCode, type RouteMethod } from '@portico/core';
import { err, type Result } from 'neverthrow';
import type { CliError } from '../../output/cli-error.ts';
import { exitCodeOf } from '../../output/exit-code.ts';
import { cliErrorOf } from '../../output/failure-message.ts';
import { serverClient } from '../../connection/server-client.ts';
import { serverErrorOf } from '../../output/server-failure.ts';
import type { CommandContext } from '../../session/command.ts';
import { tokenFor } from '../../session/session.ts';
import type { ApiResponse, RouteRequest } from './member-api-routes.ts';

/** Sends a request to a member route of a running Portico. The token is sent only to this server. */
export const apiOnServer = async (
  context: CommandContext,
  server: string,
  method: RouteMethod,
  path: string,
  { query, body, signal }: Omit<RouteRequest, 'parameters'>,
): Promise<Result<ApiResponse, CliError>> => {
  const token = await tokenFor(context);
  if (token.isErr()) return err(token.error);
  const client = serverClient(context.loaded.settings, { url: server, token: token.value });
  if (client.isErr()) return err(client.error);
  return client.value.member
    .send(method, path as MemberPath, { query, body, signal })
    .map((response) => ({
      response: 'content' in response ? { ...response, content: withCode(response.content) } : response,
      service: 'portico',
    }))
    .mapErr(errorOf);
};

/** Reports an interruption with the same code and reason as the HTTP adapter. */
async function* withCode(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (cause) {
    const isTimeout = cause instanceof DocumentInterruptedError && cause.failure.kind === 'timed-out';
    const reason = isTimeout ? 'timeout' : 'unreachable';
    throw Object.assign(new Error('interrupted', { cause }), { code: interruptedCode, reason });
  }
}

const errorOf = (failure: ClientFailure): CliError => {
  if (failure.kind === 'refused') return refusedError(failure);
  return failure.kind in exitCodeOf
    ? cliErrorOf(failure as Parameters<typeof cliErrorOf>[0])
    : serverErrorOf(failure, 'portico');
};

/** The server has no such route, or rejected the request itself. */
const refusedError = ({ status, code, detail }: Extract<ClientFailure, { kind: 'refused' }>): CliError =>
  status < 500
    ? { exitCode: exitCodeOf[status === 403 ? 'insufficient-scope' : 'invalid'], document: { code, detail } }
    : { exitCode: exitCodeOf.upstream, document: { code, detail } };
