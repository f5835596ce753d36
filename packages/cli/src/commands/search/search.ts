import { createServer, drain, publicLeg } from '@portico/adapters-koa';
import {
  type LegEvent,
  legOutcomeText,
  type OfferOrder,
  searchResponseText,
  toJson,
  type SearchUseCases,
} from '@portico/core';
import { searchUseCasesToken } from '@portico/core/inversify';
import { err, ok, type Result } from 'neverthrow';
import { print } from '../../output/print.ts';
import { type CommandContext, type CommandHandler, stringOption } from '../../session/command.ts';
import { compose } from '../../serve/compose.ts';
import { exitCodeOf } from '../../output/exit-code.ts';
import { serverTls } from '../../settings/tls-files.ts';
import { listen } from '../../connection/listener.ts';
import { type OfferOptions, offersView, type SearchResult } from './offers-view.ts';
import { refusedCallbacks } from './refused-callbacks.ts';
import { searchProgress } from './search-progress.ts';
import { cliErrorOf } from '../../output/failure-message.ts';
import { usageError, type CliError, fail, failWithProblems } from '../../output/cli-error.ts';
import { legsOnServer, searchOnServer } from './search-on-server.ts';
import { text } from '../../output/field.ts';
import { version } from '../../telemetry/version.ts';
import { showList } from '../../output/view.ts';

/** Sends one query to every leg: from this process, which receives callbacks on `listen`, or through `--server`. */
export const search: CommandHandler = async (context) => {
  const request = {
    persona: stringOption(context, 'persona'),
    query: context.args[0],
    user_id: stringOption(context, 'userId'),
  };
  const server = stringOption(context, 'server');
  const listIds = () =>
    server === undefined
      ? Promise.resolve(Object.keys(context.loaded.settings.search.legs ?? {}))
      : legsOnServer(context);
  const options = offerOptions(context);
  const unknown = options.legs && (await unknownLeg(options.legs, listIds));
  if (unknown) return fail(unknown, context);
  const shown = searchProgress(listIds);
  const onLeg = (event: LegEvent) => {
    if (!context.signal.aborted) shown.leg(event);
  };
  const result = await (server === undefined ? searchLocally : searchOnServer)(context, request, onLeg);
  shown.end();
  if (context.signal.aborted) return 1;
  if (typeof result === 'number') return result;
  if (result.isErr()) return fail(result.error, context);
  const body = result.value;
  const value = JSON.parse(body) as SearchResult;
  const printed = await print({ text: body, value }, offersView(options), context);
  if (printed !== 0) return printed;
  const { traces, ...results } = value;
  if (Object.keys(traces).some((leg) => (results[leg] ?? null) !== null)) return 0;
  process.stderr.write('portico: No leg delivered a result.\n');
  return exitCodeOf.upstream;
};

const offerOptions = (context: CommandContext): OfferOptions => ({
  order: stringOption(context, 'sort') as OfferOrder | undefined,
  text: stringOption(context, 'filter'),
  legs: context.options['network'] as readonly string[] | undefined,
});

/** Returns an error for a leg that does not exist. A server that does not list its legs is not checked. */
const unknownLeg = async (
  legs: readonly string[],
  listIds: () => Promise<readonly string[]>,
): Promise<CliError | undefined> => {
  const ids = await listIds();
  const unknown = legs.find((leg) => ids.length > 0 && !ids.includes(leg));
  return unknown === undefined
    ? undefined
    : usageError(`There is no network ${unknown}.`, `The networks are ${ids.join(', ')}.`);
};

/** Runs the search in this process. The listener for callbacks starts before the first request and ends after the search. */
const searchLocally = async (
  context: CommandContext,
  request: object,
  onLeg: (event: LegEvent) => void,
): Promise<Result<string, CliError> | number> => {
  const composed = searchUseCases(context);
  if (composed.isErr()) return err(composed.error);
  const { settings, sourceOf } = context.loaded;
  const { use, hint } = refusedCallbacks(composed.value);
  const { maxCallbackBytes } = settings.limits;
  const server = createServer(use, {
    roles: ['callbacks'],
    maxCallbackBytes,
    version,
    ...serverTls(settings.listen),
  });
  const listening = await listen(server, settings.listen, sourceOf);
  if ('problem' in listening) {
    const exitCode = failWithProblems('Cannot listen for callbacks.', [listening.problem], context.json);
    process.stderr.write('  To search through a running portico, use --server <url>.\n');
    return exitCode;
  }
  try {
    const started = await use.search(request, context.signal);
    if (started.isErr()) return err(cliErrorOf(started.error));
    const { legs, response } = started.value;
    for (const leg of legs) void leg.then((outcome) => onLeg(JSON.parse(legOutcomeText(outcome)) as LegEvent));
    const all = await response;
    const refused = hint();
    if (refused !== undefined) process.stderr.write(`portico: ${refused}\n`);
    else if (all.legs.every((leg) => 'error' in leg && leg.error.kind === 'timeout') && !context.signal.aborted)
      process.stderr.write(
        `portico: No callbacks were received at ${listening.url}. Check that each leg's bapUri points to it.\n`,
      );
    return ok(searchResponseText(all));
  } finally {
    await drain(server, 200);
  }
};

const searchUseCases = ({ loaded: { settings } }: CommandContext): Result<SearchUseCases, CliError> =>
  settings.search.legs
    ? ok(compose(settings).get(searchUseCasesToken))
    : err(
        usageError(
          'No search legs are configured.',
          'Set search.legs in the settings file (--config, PORTICO_CONFIG). Run "portico config schema" for a description.',
        ),
      );

export const listLegs: CommandHandler = async (context) => {
  const composed = searchUseCases(context);
  if (composed.isErr()) return fail(composed.error, context);
  const legs = await composed.value.listLegs();
  if (legs.isErr()) return fail(cliErrorOf(legs.error), context);
  const columns = ['id', 'label', 'domain', 'version', 'gateway_url', 'bap_uri'].map((path) => text(path));
  return print(toJson({ legs: legs.value.map(publicLeg) }), showList('legs', columns), context);
};
