import { type ClientFailure, isUnauthenticated, type MemberPageStream } from '@portico/client';
import type { Json } from '@portico/core';
import { type Caller, CallFailed } from './client.ts';

/** Reads one part of `GET /me`; `readAlone` reads it by its own route. Rejects with `CallFailed`. */
export type PartReader = (name: string, readAlone: () => Promise<Json>) => Promise<Json>;

interface OpenPage extends MemberPageStream {
  readonly reference: string | undefined;
}

/**
 * Reads the parts that are requested at the same time with one `GET /me`, and returns each as soon as it is read. A part that
 * is requested alone, for instance again after an error, is read by its own route.
 */
export const partReader = (call: Caller): PartReader => {
  let next: { readonly names: Set<string>; readonly page: Promise<OpenPage | undefined> } | undefined;

  const openPage = async (names: ReadonlySet<string>): Promise<OpenPage | undefined> => {
    // The queries of one render have requested their parts by then.
    await Promise.resolve();
    next = undefined;
    if (names.size < 2) return undefined;
    try {
      return await call((portico, reference) =>
        portico.meParts({ include: [...names] }).map((stream) => ({ ...stream, reference: reference() })),
      );
    } catch (error) {
      if (error instanceof CallFailed && isNotServed(error.failure)) return undefined;
      throw error;
    }
  };

  return async (name, readAlone) => {
    if (!next) {
      const names = new Set<string>();
      next = { names, page: openPage(names) };
    }
    next.names.add(name);
    const page = await next.page;
    return page ? readPart(page, name, readAlone) : readAlone();
  };
};

/** Whether Portico does not serve this page: it has no route for it, or one of the names is not known. */
const isNotServed = (failure: ClientFailure): boolean =>
  failure.kind === 'invalid' ||
  ((failure.kind === 'refused' || failure.kind === 'unexpected-response') && failure.status === 404);

const readPart = async (
  { parts, page, reference }: OpenPage,
  name: string,
  readAlone: () => Promise<Json>,
): Promise<Json> => {
  for await (const part of parts) {
    if (part.name !== name) continue;
    if (part.result.isOk()) return part.result.value;
    // The token has expired meanwhile: the response of the route itself ends the session.
    if (isUnauthenticated(part.result.error)) return readAlone();
    throw new CallFailed(part.result.error, reference);
  }
  const ended = await page;
  throw new CallFailed(ended.isErr() ? ended.error : { kind: 'interrupted' }, reference);
};
