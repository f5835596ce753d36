import { EventSourceParserStream } from 'eventsource-parser/stream';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { type ClientFailure, unexpectedResponseFailure } from './failures/failure.ts';
import { mediaTypeOf } from './json.ts';
import { limitBody, type OpenResponse, readFailure, unexpectedResponse } from './transport.ts';

/** Reads one event. `unexpected`: no server of this kind sends it, so the stream is not read further. */
export type EventReader<Done> = (name: string, data: string) => { readonly done: Done } | 'next' | 'unexpected';

/**
 * Reads server-sent events (HTML Living Standard, section 9.2) until the reader is done. Fails `unexpected-response` if the
 * response has another media type; `done` fails `interrupted` if it ends too early.
 */
export const readEvents = <Done>(
  { response, scope }: OpenResponse,
  maxBytes: number,
  read: EventReader<Done>,
): ResultAsync<{ readonly done: ResultAsync<Done, ClientFailure> }, ClientFailure> => {
  const body = mediaTypeOf(response) === 'text/event-stream' ? limitBody(response, maxBytes) : null;
  if (!body) {
    scope.done();
    return unexpectedResponse(response);
  }
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  const readAll = async (): Promise<Result<Done, ClientFailure>> => {
    for (let next = await events.read(); !next.done; next = await events.read()) {
      const outcome = read(next.value.event ?? 'message', next.value.data);
      if (outcome === 'unexpected') return err(unexpectedResponseFailure(response));
      if (outcome !== 'next') return ok(outcome.done);
    }
    return err({ kind: 'interrupted' });
  };
  const drain = async (): Promise<void> => {
    while (!(await events.read()).done);
  };
  const done = scope.await(readAll, readFailure(maxBytes)).andThen((result) => result);
  const discard = () => {
    events.cancel().catch(() => {});
    scope.done();
  };
  // Reads to the end even after the result: to the server, an early close is a client disconnect.
  void done.andThen(() => scope.await(drain, readFailure(maxBytes))).match(discard, discard);
  return okAsync({ done });
};
