import { type DeclaredOperation, hasBody, type Json, type ServiceDeclaration, toJson } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { type CliError, usageError } from '../output/cli-error.ts';
import { type CommandContext, stringOption } from '../session/command.ts';
import { readJsonInput } from '../session/input.ts';

/** A request of a declared service, as the suite needs it. */
interface OwnRequest {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** The body of the other member. */
  readonly otherBody?: Json;
}

/** The requests of a declared service by route. Those that nothing is known about are missing. */
export type OwnRequests = Readonly<Record<string, OwnRequest>>;

const strings = z.record(z.string(), z.string());
const object = z.record(z.string(), z.unknown());
const requestsFile = z.record(
  z.string(),
  z.strictObject({
    parameters: strings.optional(),
    query: strings.optional(),
    body: object.optional(),
    otherBody: object.optional(),
  }),
);

/**
 * Reads the file of `--requests`: an object with a request for each route. A route without a parameter and a body needs
 * none, and `--resource` is the value of a single parameter.
 */
export const ownRequests = async (
  { operations, name }: ServiceDeclaration,
  context: CommandContext,
): Promise<Result<OwnRequests, CliError>> => {
  const file = stringOption(context, 'requests');
  const read = file === undefined ? ok(toJson({})) : await readJsonInput(context, file);
  const resource = stringOption(context, 'resource');
  return read.andThen(({ value }) => {
    const parsed = requestsFile.safeParse(value);
    if (!parsed.success)
      return err(
        usageError(
          `${file} is not a file of requests.`,
          'Give an object with parameters, query, body and otherBody for each route.',
        ),
      );
    const unknown = Object.keys(parsed.data).find((route) => !Object.hasOwn(operations, route));
    if (unknown !== undefined)
      return err(
        usageError(
          `${file} has the route "${unknown}".`,
          `The routes of ${name} are ${Object.keys(operations).join(', ')}.`,
        ),
      );
    const requests = Object.entries<DeclaredOperation>(operations).map(([route, operation]) => [
      route,
      requestOf(operation, parsed.data[route] ?? {}, resource),
    ]);
    return ok(Object.fromEntries(requests.filter(([, request]) => request !== undefined)) as OwnRequests);
  });
};

/** The request of one operation; undefined if a parameter or the body is missing. */
const requestOf = (
  operation: DeclaredOperation,
  { parameters, query, body, otherBody }: z.infer<typeof requestsFile>[string],
  resource: string | undefined,
): OwnRequest | undefined => {
  const [only, ...more] = operation.parameters;
  const isOnly = only !== undefined && more.length === 0;
  const values = { ...(isOnly && resource !== undefined && { [only]: resource }), ...parameters };
  if (operation.parameters.some((name) => !Object.hasOwn(values, name))) return undefined;
  if (hasBody(operation) && !body) return undefined;
  return {
    parameters: values,
    ...(query && { query }),
    ...(body && { body: toJson(body) }),
    ...(otherBody && { otherBody: toJson(otherBody) }),
  };
};
