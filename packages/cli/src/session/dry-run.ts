import type { DownstreamName } from '@portico/adapters-http';
import { errAsync, ResultAsync } from 'neverthrow';
import { type Failure, invalid, type Json, parseObjectBody, type ServiceName } from '@portico/core';
import { fail } from '../output/cli-error.ts';
import { failWith } from '../output/failure-message.ts';
import { print, type View } from '../output/print.ts';
import { stripControlCharacters } from '../output/screen.ts';
import { configuredService, pathsOf } from '../settings/configured-services.ts';
import type { CommandContext } from './command.ts';
import { readJsonInput } from './input.ts';
import { asMember, memberUseCases, type Session } from './session.ts';

/** A request to a service, without the member: the locator is in the token, which a dry run does not read. */
interface PlannedRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly service: DownstreamName;
  readonly operation: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** Sends the JSON of the first argument as the member, or prints the request with `--dry-run`. */
export const writeAsMember = async <Name extends ServiceName>(
  context: CommandContext,
  request: Omit<PlannedRequest, 'body'> & { readonly service: Name },
  operation: (session: Session<Name>, body: Json) => ResultAsync<Json, Failure>,
  view: View,
): Promise<number> => {
  const input = () => new ResultAsync(readJsonInput(context, context.args[0] ?? ''));
  if (!isDryRun(context)) {
    const write = (session: Session<Name>) =>
      // After a signal, the input may be incomplete: it must not be sent.
      input().andThen((body) => (context.signal.aborted ? errAsync(interrupted) : operation(session, body)));
    return asMember(context, request.service, write, view, 'write');
  }
  const body = await input();
  return body.isErr() ? fail(body.error, context) : printRequest(context, { ...request, body: body.value });
};

/** Not shown: the command has been interrupted. */
const interrupted = invalid('Interrupted.');

export const isDryRun = ({ options }: CommandContext): boolean => options['dryRun'] === true;

/** Prints the request that a command would send (`--dry-run`). Sends nothing, and does not need a token. */
export const printRequest = async (
  context: CommandContext,
  { method, service, operation, headers, body }: PlannedRequest,
): Promise<number> => {
  const configured = memberUseCases(context, service);
  if (configured.isErr()) return fail(configured.error, context);
  const sent = parseObjectBody(body);
  if (sent.isErr()) return failWith(sent.error, context);
  const { text, value } = sent.value;
  const settings = configuredService(context.loaded.settings, service);
  const url = `${settings?.url.replace(/\/$/, '')}${pathsOf(service, settings?.paths)[operation]}`;
  const allHeaders = { 'content-type': 'application/json', ...headers };
  const head = { method, url, headers: allHeaders };
  return print(
    // The text of the body has all digits of its numbers.
    { text: `${JSON.stringify(head).slice(0, -1)},"body":${text}}`, value: { ...head, body: value } },
    () =>
      [
        `${method} ${stripControlCharacters(url)}`,
        ...Object.entries(allHeaders).map(([name, value]) => `${name}: ${stripControlCharacters(value)}`),
        '',
        ...text.split('\n').map(stripControlCharacters),
        '',
      ].join('\n'),
    context,
  );
};
