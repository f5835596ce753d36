import { writeFileSync } from 'node:fs';
import type { ServiceSettings } from '@portico/adapters-http';
import { serviceNames, toJson } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, ok, type Result } from 'neverthrow';
import { connectionsOf } from '../connection/connections.ts';
import { type CliError, environmentError, fail, usageError } from '../output/cli-error.ts';
import { codeOf } from '../settings/file-problems.ts';
import { print } from '../output/print.ts';
import { progress } from '../output/progress.ts';
import { type CommandContext, type CommandHandler, stringOption } from '../session/command.ts';
import { contractDefaults } from '../session/option-defaults.ts';
import { serviceCredentials } from '../serve/service-credentials.ts';
import { unlessInterrupted } from '../session/interrupt.ts';
import { isBuiltIn } from '../settings/built-in-services.ts';
import { ownServices } from '../settings/own-services.ts';
import { configuredService } from '../settings/configured-services.ts';
import { identityProviders } from '../settings/sections/identity-schema.ts';
import { baseUrl } from '../settings/setting-types.ts';
import { watchRequests } from '../telemetry/lines/call-lines.ts';
import { junit } from './junit.ts';
import { type KnownData, knownData } from './known-data.ts';
import { type TestMembers, testMembers } from './members.ts';
import { redaction } from './redaction.ts';
import { type ContractReport, markOf, reportView } from './contract-report.ts';
import { type OwnRequests, ownRequests } from './own-requests.ts';
import { ownSuite } from './own-suite.ts';
import { type PromiseResult, runSuite } from './run-suite.ts';
import { builtInSuite, type Suite } from './suites.ts';

/** Runs the contract suite of a service against a running service (contract, section 7). */
export const contract: CommandHandler = async (context) => {
  const input = await inputOf(context);
  if (input.isErr()) return fail(input.error, context);
  const promises = await unlessInterrupted(context.signal, runContract(input.value, context));
  if (promises === 'aborted') return 1;
  const isKept = promises.every(({ outcome }) => outcome !== 'broken');
  const report = { ok: isKept, service: input.value.service, promises };
  const printed = await print(toJson(report), reportView, context);
  const problem = promises.every(({ outcome }) => outcome === 'skipped')
    ? usageError(
        'No promise was tested.',
        'Set the variables and options that the report names for the skipped promises.',
      )
    : writeJunit(context, report);
  if (problem) return fail(problem, { ...context, json: false });
  return printed !== 0 || report.ok ? printed : 1;
};

interface Input {
  readonly service: string;
  readonly suite: Suite;
  readonly settings: ServiceSettings & { readonly timeoutMs: number };
  readonly members: TestMembers;
  readonly known: KnownData;
  readonly requests: OwnRequests;
}

const inputOf = async (context: CommandContext): Promise<Result<Input, CliError>> => {
  const tested = await testedService(context.args[0] ?? '', context);
  const url = baseUrl.safeParse(stringOption(context, 'url'));
  if (!url.success)
    return err(usageError('--url is not a base URL.', 'Give an http or https URL without user, query and fragment.'));
  return tested.andThen((service) =>
    testMembers(context, needsTokens(service.service, context)).andThen((members) =>
      knownData(context).map((known) => ({
        ...service,
        settings: serviceSettings(service.service, new URL(url.data).href, context),
        members,
        known,
      })),
    ),
  );
};

/** Whether requests to the service have the member's token, or one that was exchanged for it. */
const needsTokens = (service: string, { loaded }: CommandContext): boolean => {
  const { credentials = 'member-token' } = configuredService(loaded.settings, service) ?? {};
  return typeof credentials === 'string' ? credentials === 'member-token' : credentials.kind === 'token-exchange';
};

/** The suite of a built-in service, or of one that the settings declare. */
const testedService = async (
  name: string,
  context: CommandContext,
): Promise<Result<Pick<Input, 'service' | 'suite' | 'requests'>, CliError>> => {
  if (isBuiltIn(name)) return ok({ service: name, suite: builtInSuite(name), requests: {} });
  const own = ownServices(context.loaded.settings).map(({ declaration }) => declaration);
  const declaration = own.find((one) => one.name === name);
  if (declaration)
    return (await ownRequests(declaration, context)).map((requests) => ({
      service: name,
      suite: ownSuite(declaration, requests),
      requests,
    }));
  const names = [...serviceNames, ...own.map((one) => one.name)];
  return err(
    usageError(
      'Unknown service.',
      `Use one of ${names.join(', ')}. A service of your own needs --config, with a settings file that has its routes.`,
    ),
  );
};

/** The settings of the service, if it has any, with the URL and time limit of the command line. */
const serviceSettings = (service: string, url: string, context: CommandContext): Input['settings'] => {
  const { settings } = context.loaded;
  const { common, service: connection } = connectionsOf(settings);
  const configured = configuredService(settings, service);
  const timeoutMs = Number(stringOption(context, 'timeout') ?? configured?.timeoutMs ?? contractDefaults.timeoutMs);
  const target = { ...connection(service), url, timeoutMs };
  if (!configured) return target;
  const { tls: _unused, credentials, headers, ...limits } = configured;
  const credentialsOf = serviceCredentials(identityProviders(settings), common, {});
  return { ...limits, ...(headers && { headers }), ...target, credentials: credentialsOf(credentials) };
};

const runContract = async (
  { service, suite, settings, members, known, requests }: Input,
  context: CommandContext,
): Promise<readonly PromiseResult[]> => {
  const parameters = Object.values(requests).flatMap((request) => Object.values(request.parameters ?? {}));
  const secrets = [settings.url, ...Object.values(settings.headers ?? {}), ...parameters];
  const mayWrite = context.options['write'] === true;
  const sent: string[] = [];
  const stopWatching = watchRequests(
    (url) => (url.startsWith(settings.url) ? service : ''),
    (request) => {
      if (request.service === service) sent.push(`${request.method} ${request.status ?? request.error}`);
    },
  );
  const shown = progress();
  shown.waiting('testing …');
  try {
    return await runSuite(
      (runner, skip) => suite(runner, settings, { service, members, known, mayWrite, secrets }, skip),
      {
        clock: systemClock,
        // Longer than a call of the adapter, which may wait for a response and then for each part of it.
        deadlineMs: 3 * settings.timeoutMs + 5000,
        promiseMs: 10 * settings.timeoutMs + 60_000,
        redact: redaction([...secrets, ...privateStrings(members, known)]),
        signal: context.signal,
        takeRequests: () => sent.splice(0),
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
