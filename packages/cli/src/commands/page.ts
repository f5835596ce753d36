import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { type CliError, fail, usageError } from '../output/cli-error.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import {
  type Failure,
  isObject,
  isPart,
  type Member,
  memberPageText,
  noContent,
  parseRoute,
  type PartFailure,
  partName,
  type PartRead,
  type PartText,
  problemOf,
  problemTypes,
  readMemberPage,
  type ServiceResponse,
  type SettledPart,
} from '@portico/core';
import { text } from '../output/field.ts';
import { print, type View } from '../output/print.ts';
import { showList } from '../output/view.ts';
import { type CommandContext, type CommandHandler, stringOption } from '../session/command.ts';
import { unlessInterrupted } from '../session/interrupt.ts';
import { configuredUseCases, memberOf } from '../session/session.ts';
import { memberApiRoutes, type MemberRoute } from './api/member-api-routes.ts';

/** Reads several parts at once, as `GET /me` does. Fails only when every part failed, with the exit code of the first one. */
export const page: CommandHandler = async (context) => {
  const read = await unlessInterrupted(context.signal, readPage(context));
  if (read === 'aborted') return 1;
  if (read.isErr()) return fail(read.error, context);
  const settled = read.value;
  const result = memberPageText(settled.map(textOf));
  const printed = await print({ text: result, value: JSON.parse(result) as unknown }, pageView, context);
  if (printed !== 0 || settled.some(({ result }) => result.isOk())) return printed;
  process.stderr.write('portico: No part could be read.\n');
  const first = settled[0]?.result;
  return first?.isErr() && first.error.kind !== 'rate-limited' ? exitCodeOf[first.error.kind] : exitCodeOf.upstream;
};

const readPage = async (context: CommandContext): Promise<Result<readonly SettledPart[], CliError>> => {
  const use = configuredUseCases(context);
  if (use.isErr()) return err(use.error);
  const reads = memberApiRoutes(use.value).flatMap((route) => partOf(route, context.signal));
  if (reads.length === 0) return err(usageError('No configured service has a part to read.'));
  const include = stringOption(context, 'include');
  const query = include === undefined ? '' : `include=${encodeURIComponent(include)}`;
  const readParts = readMemberPage(reads);
  const signedIn = await memberOf(context, use.value, 'read');
  if (signedIn.isErr()) return err(signedIn.error);
  const parts = readParts(signedIn.value.member, query);
  return parts.isErr() ? err(cliErrorOf(parts.error)) : ok(await Promise.all(parts.value));
};

/** The part of a route, if it is one and its service is configured. */
const partOf = ({ key, service, type, call }: MemberRoute, signal: AbortSignal): readonly PartRead[] => {
  if (!call || !isPart({ route: key, type })) return [];
  const read = (member: Member) =>
    call(member, { parameters: {}, query: [], signal }) as ResultAsync<ServiceResponse, Failure>;
  return [{ name: partName(parseRoute(key).path), service, read }];
};

const textOf = ({ name, result }: SettledPart): PartText => {
  if (result.isErr()) return failedPart(name, result.error);
  const { status = 200, text: body } = result.value;
  return body === noContent.text ? { name, status: 204 } : { name, status, body };
};

const failedPart = (name: string, failure: PartFailure): PartText => {
  const problem = failure.kind === 'rate-limited' ? { code: failure.kind } : problemOf(failure);
  return { name, status: problemTypes[problem.code].status, problem: JSON.stringify(problem) };
};

const rowsOf = (value: unknown): readonly unknown[] =>
  Object.entries(isObject(value) && isObject(value['parts']) ? value['parts'] : {}).map(([part, fields]) => {
    const { status, problem } = fields as { readonly status: number; readonly problem?: { readonly detail?: string } };
    return { part, status, detail: problem?.detail ?? '' };
  });

const pageView: View = Object.assign(
  ((value, screen) =>
    showList('parts', [text('part'), text('status'), { ...text('detail'), title: 'Problem' }])(
      { parts: rowsOf(value) },
      screen,
    )) satisfies View,
  { rows: rowsOf },
);
