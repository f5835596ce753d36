import { writeFileSync } from 'node:fs';
import { httpDefaults, type ServiceSettings } from '@portico/adapters-http';
import { type ServiceName, serviceNames, toJson } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, type Result } from 'neverthrow';
import { connectionsOf } from '../connection/connections.ts';
import { type CliError, environmentError, fail, usageError } from '../output/cli-error.ts';
import { print } from '../output/print.ts';
import { progress } from '../output/progress.ts';
import { type CommandContext, type CommandHandler, stringOption } from '../program/command.ts';
import { serviceCredentials } from '../serve/service-credentials.ts';
import { codeOf } from '../session/input.ts';
import { unlessAborted } from '../session/interrupt.ts';
import { identityProviders } from '../settings/sections/identity-schema.ts';
import { watchRequests } from '../telemetry/call-lines.ts';
import { junit } from './junit.ts';
import { type KnownData, knownData } from './known-data.ts';
import { type TestMembers, testMembers } from './members.ts';
import { redaction } from './redaction.ts';
import { type ContractReport, contractReport, markOf, reportView } from './contract-report.ts';
import { type PromiseResult, runSuite } from './run-suite.ts';
import { subjectMaker } from './subject.ts';
import { suites } from './suites.ts';

/** Runs the contract suite of a service against a running service (contract, section 7). */
export const contract: CommandHandler = async (context) => {
  const input = inputOf(context);
  if (input.isErr()) return fail(input.error, context);
  const promises = await unlessAborted(context.signal, runContract(input.value, context));
  if (promises === 'aborted') return 1;
  const report = contractReport(input.value.service, promises);
  if (promises.every(({ outcome }) => outcome === 'skipped')) {
    await print(toJson(report), reportView, context);
    return fail(usageError('No promise was tested.', 'Give what the skipped promises need.'), {
      ...context,
      json: false,
    });
  }
  const printed = await print(toJson(report), reportView, context);
  const unwritten = writeJunit(context, report);
  if (unwritten) return fail(unwritten, { ...context, json: false });
  return printed !== 0 || report.ok ? printed : 1;
};

interface Input {
  readonly service: ServiceName;
  readonly settings: ServiceSettings & { readonly timeoutMs: number };
  readonly members: TestMembers;
  readonly known: KnownData;
}

const inputOf = (context: CommandContext): Result<Input, CliError> => {
  const service = serviceNames.find((name) => name === context.args[0]);
  if (service === undefined) return err(usageError('Unknown service.', `Use one of ${serviceNames.join(', ')}.`));
  const url = URL.parse(stringOption(context, 'url') ?? '');
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return err(usageError('--url is not a base URL.', 'Give an http or https URL without user, query and fragment.'));
  return testMembers(context).andThen((members) =>
    knownData(context).map((known) => ({
      service,
      settings: serviceSettings(service, url.href, context),
      members,
      known,
    })),
  );
};

/** The settings of the service, if it has any, with the URL and time limit of the command line. */
const serviceSettings = (service: ServiceName, url: string, context: CommandContext): Input['settings'] => {
  const { settings } = context.loaded;
  const { common, service: connection } = connectionsOf(settings);
  const configured = settings.downstreams?.[service];
  const timeoutMs = Number(stringOption(context, 'timeout') ?? configured?.timeoutMs ?? httpDefaults.timeoutMs);
  const target = { ...connection(service), url, timeoutMs };
  if (!configured) return target;
  const { tls: _unused, credentials, headers, ...limits } = configured;
  const credentialsOf = serviceCredentials(identityProviders(settings), common, {});
  return { ...limits, ...(headers && { headers }), ...target, credentials: credentialsOf(credentials) };
};

const runContract = async (
  { service, settings, members, known }: Input,
  context: CommandContext,
): Promise<readonly PromiseResult[]> => {
  const secrets = [settings.url, ...Object.values(settings.headers ?? {})];
  const mayWrite = context.options['write'] === true;
  const requests: string[] = [];
  const stopWatching = watchRequests(
    (url) => (url.startsWith(settings.url) ? service : ''),
    (request) => {
      if (request.service === service) requests.push(`${request.method} ${request.status ?? request.error}`);
    },
  );
  const shown = progress();
  shown.waiting('testing …');
  try {
    return await runSuite(
      (runner, skip) =>
        suites[service](runner, settings, subjectMaker({ service, members, known, mayWrite, secrets }, skip)),
      {
        clock: systemClock,
        // Longer than a call of the adapter, which may wait for a response and then for each part of it.
        deadlineMs: 3 * settings.timeoutMs + 5000,
        promiseMs: 10 * settings.timeoutMs + 60_000,
        redact: redaction([...secrets, ...privateStrings(members, known)]),
        signal: context.signal,
        takeRequests: () => requests.splice(0),
        onResult: (result) => {
          if (shown.isLive) shown.waiting(`${result.promise} …`);
          else shown.line(`${markOf(result, shown)} ${result.promise}`);
        },
      },
    );
  } finally {
    shown.end();
    stopWatching();
  }
};

const privateStrings = (members: TestMembers, { resource }: KnownData): readonly string[] => [
  ...Object.values(members).flatMap(({ locator, token }) => [token, locator]),
  ...(resource === undefined ? [] : [resource]),
];

const writeJunit = (context: CommandContext, report: ContractReport): CliError | undefined => {
  const file = stringOption(context, 'junit');
  if (file === undefined) return undefined;
  try {
    writeFileSync(file, junit(report));
    return undefined;
  } catch (error) {
    return environmentError(
      `${file} cannot be written (${codeOf(error)}).`,
      'Check the folder and its permissions.',
      error,
    );
  }
};
