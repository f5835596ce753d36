import { err, ok } from 'neverthrow';
import type { MemberPage, MemberPageCalls, MemberPageRequest, MemberPart } from '../calls.ts';
import { type EventReader, readEvents } from '../event-stream.ts';
import { type ClientFailure, failureOf, unexpectedResponseFailure } from '../failures/failure.ts';
import { createFeed, isObject, type Json, membersIn, noContent } from '@portico/core';
import { parseJson } from '../json.ts';
import { withQuery } from '../paths.ts';
import type { Transport } from '../transport.ts';

export const memberPageCalls = ({ open, requestJson }: Transport, maxBytes: number): MemberPageCalls => ({
  me: (request, signal) =>
    requestJson({ path: pathOf(request), signal }).andThen(({ json, response }) => {
      const page = pageIn(json);
      return page ? ok(page) : err(unexpectedResponseFailure(response));
    }),
  meParts: (request, signal) => {
    const parts = createFeed<MemberPart>();
    return open({ path: pathOf(request), accept: 'text/event-stream', signal })
      .andThen((opened) => readEvents(opened, maxBytes, partEvents(parts.push)))
      .map(({ done }) => {
        void done.then(parts.end);
        return { parts, page: done };
      });
  },
});

const pathOf = ({ include }: MemberPageRequest = {}): string =>
  include ? withQuery('/me', [['include', include.join(',')]]) : '/me';

const pageIn = ({ text, value }: Json): MemberPage | undefined => {
  if (!isObject(value) || typeof value['partial'] !== 'boolean' || !isObject(value['parts'])) return undefined;
  const parts = [...membersIn(membersIn(text).get('parts') ?? '')].map(([name, part]) => partIn(name, part));
  return parts.every((part) => part !== undefined) ? pageOf(value['partial'], parts) : undefined;
};

const pageOf = (partial: boolean, parts: readonly MemberPart[]): MemberPage => ({
  partial,
  parts: Object.fromEntries(parts.map((part) => [part.name, part])),
});

/** Collects the parts until the event `done`. */
const partEvents = (onPart: (part: MemberPart) => void): EventReader<MemberPage> => {
  const parts: MemberPart[] = [];
  return (event, data) => {
    if (event !== 'part' && event !== 'done') return 'next';
    const value = parseJson(data)?.value;
    if (!isObject(value)) return 'unexpected';
    if (event === 'done')
      return typeof value['partial'] === 'boolean' ? { done: pageOf(value['partial'], parts) } : 'unexpected';
    const part = typeof value['name'] === 'string' ? partIn(value['name'], data) : undefined;
    if (!part) return 'unexpected';
    parts.push(part);
    onPart(part);
    return 'next';
  };
};

/** Reads a part from its JSON text. The body keeps the text of the service. */
const partIn = (name: string, text: string): MemberPart | undefined => {
  const members = membersIn(text);
  const status: unknown = JSON.parse(members.get('status') ?? 'null');
  const [body, problem] = [members.get('body'), members.get('problem')];
  if (typeof status !== 'number') return undefined;
  if (problem !== undefined) return { name, status, result: err(failureIn(problem, status)) };
  return {
    name,
    status,
    result: ok(body === undefined ? noContent : { text: body, value: JSON.parse(body) as unknown }),
  };
};

/**
 * A part has no headers. A 401 in it means that the service refused a token that Portico had accepted. Without
 * `Retry-After`, the minimum of one second is used.
 */
const failureIn = (problem: string, status: number): ClientFailure =>
  failureOf(JSON.parse(problem), {
    status,
    headers: new Headers({ 'WWW-Authenticate': 'Bearer error="invalid_token"' }),
  });
