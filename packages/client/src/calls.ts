import type {
  CallbackEvent,
  Failure,
  Json,
  LegErrorJson,
  LegEvent,
  LegTrace,
  ListedLeg,
  Member,
  SearchUseCases,
  Signal,
  UseCases,
} from '@portico/core';
import type { Result, ResultAsync } from 'neverthrow';
import type { MemberBodies } from './routes/bodies.ts';
import type { ClientFailure } from './failures/failure.ts';

/** The names of the core's member use cases: those whose first parameter is a `Member`. */
type MemberUseCase = {
  [Name in keyof UseCases]: Parameters<UseCases[Name]> extends [Member, ...unknown[]] ? Name : never;
}[keyof UseCases];

/** Adds an abort signal as the last parameter, unless the use case already takes one. */
type WithSignal<Input extends readonly unknown[]> = [Extract<Input[number], Signal>] extends [never]
  ? [...Input, signal?: Signal]
  : Input;

/**
 * A JSON body as documented in the OpenAPI document; undefined without content (204). Portico relays it without a check: a
 * service may send something else.
 */
export type JsonOf<Body> = Json & { readonly value: Body | undefined };

/** The type of the body is known from the OpenAPI document. */
type WithBody<Value, Body> = Value extends Json
  ? JsonOf<Body>
  : Value extends { readonly claim: Json }
    ? Omit<Value, 'claim'> & { readonly claim: JsonOf<Body> }
    : Value;

/** A use case over HTTP: the token identifies the member, and transport failures are possible. */
type OverHttp<UseCase, Body> = UseCase extends (
  member: Member,
  ...input: infer Input
) => ResultAsync<infer Value, Failure>
  ? (...input: WithSignal<Input>) => ResultAsync<WithBody<Value, Body>, ClientFailure>
  : never;

interface Bodies extends MemberBodies {
  readonly changePreferences: MemberBodies['putPreferences'];
}

/** Every member use case of the core, with the same name and input, and with the type of the body. */
export type MemberCalls = {
  readonly [Name in MemberUseCase]: OverHttp<UseCases[Name], Name extends keyof Bodies ? Bodies[Name] : unknown>;
};

/** Calls for web pages that are not use cases of the core. */
export interface DownloadCalls {
  /**
   * Reads a whole document into a Blob of `application/pdf`, for example for an object URL. Fails like `getDocument`, and
   * also when the download is interrupted or larger than `maxDocumentBytes`.
   */
  readonly getDocumentBlob: (locator: string, signal?: Signal) => ResultAsync<Blob, ClientFailure>;
}

/** A part of `GET /me` (contract, section 12). The line breaks of a streamed body are replaced by spaces. */
export interface MemberPart {
  /** The last segment of the path of its own route, such as `coverage`. */
  readonly name: string;
  /** The HTTP status of its own route. */
  readonly status: number;
  /** What the call of its own route would return. */
  readonly result: Result<Json, ClientFailure>;
}

/** The parts of a page by name. */
export interface MemberPage {
  /** Whether a part failed. */
  readonly partial: boolean;
  readonly parts: Readonly<Record<string, MemberPart | undefined>>;
}

/** A page whose parts arrive as they settle. */
export interface MemberPageStream {
  /**
   * Each part as it settles. Every iterator starts at the first part. Never throws: it ends after the last part or when
   * the response is interrupted, and `page` reports which. Reading it is optional.
   */
  readonly parts: AsyncIterable<MemberPart>;
  /** The complete page, once every part has settled. */
  readonly page: ResultAsync<MemberPage, ClientFailure>;
}

export interface MemberPageRequest {
  /** The names of the parts. Default: all parts that the server has. An unknown, empty or repeated name fails `invalid`. */
  readonly include?: readonly string[] | undefined;
}

/** The calls of `GET /me`: several reads in one request (contract, section 12). A part that fails does not fail the call. */
export interface MemberPageCalls {
  /** Reads the parts, and resolves when the last one has settled. */
  readonly me: (request?: MemberPageRequest, signal?: Signal) => ResultAsync<MemberPage, ClientFailure>;
  /** Reads the parts, and resolves as soon as the server has accepted the request. The signal cancels it at any time. */
  readonly meParts: (request?: MemberPageRequest, signal?: Signal) => ResultAsync<MemberPageStream, ClientFailure>;
}

/** The calls of the search API. They are sent without a token. */
export interface SearchCalls {
  /**
   * Sends a query to every leg (`{persona, query, user_id}`; contract, section 5). Resolves as soon as the server has
   * accepted the search. The signal cancels the search at any time. Fails `invalid`, or `overloaded` when too many
   * searches are pending.
   */
  readonly search: (...input: Parameters<SearchUseCases['search']>) => ResultAsync<SearchStream, ClientFailure>;
  /** Lists the configured legs, without their private fields (`extraContext`, `verifyCallbacks`). */
  readonly listLegs: (signal?: Signal) => ResultAsync<readonly ListedLeg[], ClientFailure>;
}

/** The core's `RunningSearch`, read from a server. The number of legs is unknown until the last one has settled. */
export interface SearchStream {
  /**
   * Each leg as it settles. Every iterator starts at the first leg. Never throws: it ends after the last leg or when the
   * search is interrupted, and `response` reports which. Reading it is optional.
   */
  readonly legs: AsyncIterable<LegEvent>;
  /** Each callback of the legs that collect, as it arrives; like `legs`. */
  readonly callbacks: AsyncIterable<CallbackEvent>;
  /** The complete result, once every leg has settled. */
  readonly response: ResultAsync<SearchJson, ClientFailure>;
}

/**
 * The search result as received (contract, sections 5 and 13): under each leg's id its callback,
 * `{"responses": [callback, ...]}` of a leg that collects, or null.
 */
export type SearchJson = Json & {
  readonly value: Readonly<Record<string, unknown>> & {
    readonly elapsed_ms: number;
    /** The errors of the failed legs and of sellers, by leg id. Absent when there are none. */
    readonly errors?: Readonly<Record<string, LegErrorJson>>;
    readonly traces: Readonly<Record<string, LegTrace>>;
  };
};
