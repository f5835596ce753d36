import { type InputError, invalid, type LegEvent, upstream } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { parseServerSentEvents } from 'parse-sse';
import { type Call, textOf } from './call.ts';
import { refusalOf } from './exit-code.ts';
import { misuse, type Refusal } from './refusal.ts';

/** How long the server may be silent beyond the time that a search takes by our own settings. */
const patienceMs = 15_000;

/** Asks a running server, and hears its legs settle (`POST /api/search` as a stream; contract, section 5). */
export const askServer = async (
  call: Call,
  request: object,
  settled: (event: LegEvent) => void,
): Promise<Result<string, Refusal> | number> => {
  const base = URL.parse(textOf(call, 'server') ?? '');
  if (!base || !/^https?:$/.test(base.protocol) || base.username || base.password || base.search || base.hash)
    return err(misuse('--server is the http or https address of a portico, without user, query and fragment.'));
  const deadline = AbortSignal.timeout(call.loaded.settings.search.timeoutMs + patienceMs);
  try {
    const response = await fetch(`${base.href.replace(/\/+$/, '')}/api/search`, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.any([call.signal, deadline]),
    });
    if (response.status === 200) return await readAnswer(response, settled);
    return err(await refusedBy(response));
  } catch (error) {
    if (call.signal.aborted) return 1;
    if (error instanceof SyntaxError) return err(refusalOf(upstream('search', 'malformed')));
    const failure = upstream('search', deadline.aborted ? 'timeout' : 'unreachable');
    return err({ ...refusalOf(failure), hint: 'Is a portico running at the address given with --server?' });
  }
};

/** The data of the event `done`, which is the whole answer. */
const readAnswer = async (response: Response, settled: (event: LegEvent) => void): Promise<Result<string, Refusal>> => {
  for await (const { type, data } of parseServerSentEvents(response)) {
    const value = JSON.parse(data) as unknown;
    if (type === 'leg') {
      if (!isLegEvent(value)) break;
      settled(value);
    }
    if (type === 'done' && isAnswer(value)) return ok(data);
  }
  return err(refusalOf(upstream('search', 'malformed')));
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTrace = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['transaction_id'] === 'string' &&
  typeof value['elapsed_ms'] === 'number' &&
  typeof value['label'] === 'string';

const isLegError = (value: unknown): boolean =>
  isObject(value) && typeof value['kind'] === 'string' && typeof value['detail'] === 'string';

const isLegEvent = (value: unknown): value is LegEvent =>
  isObject(value) &&
  typeof value['leg'] === 'string' &&
  isTrace(value['trace']) &&
  (value['error'] === undefined || isLegError(value['error']));

const isAnswer = (value: unknown): boolean => {
  if (!isObject(value) || !isObject(value['traces'])) return false;
  const { traces, errors = {} } = value;
  return Object.values(traces).every(isTrace) && isObject(errors) && Object.values(errors).every(isLegError);
};

/** What the server says of a request that it does not take; else it is the server that failed. */
const refusedBy = async (response: Response): Promise<Refusal> => {
  const problem = (await response.json().catch(() => undefined)) as
    | { readonly code?: unknown; readonly detail?: unknown; readonly errors?: unknown }
    | undefined;
  if (response.status === 400 && typeof problem?.detail === 'string')
    return refusalOf(invalid(problem.detail, ...inputErrorsIn(problem.errors)));
  if (response.status === 503 || response.status === 429)
    return refusalOf({ kind: 'overloaded', retryAfterSeconds: 1 });
  return refusalOf(upstream('search', 'status'));
};

const inputErrorsIn = (errors: unknown): readonly InputError[] =>
  Array.isArray(errors)
    ? errors.filter(
        (error): error is InputError =>
          isObject(error) && typeof error['path'] === 'string' && typeof error['message'] === 'string',
      )
    : [];
