import type { Failure, Json, LegEvent, Member, SearchUseCases, Signal, UseCases } from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import type { ClientFailure } from './failure.ts';

/** The use cases that a member is served by, as the core has them: those that take a `Member` first. */
type MemberUseCase = {
  [Name in keyof UseCases]: Parameters<UseCases[Name]> extends [Member, ...unknown[]] ? Name : never;
}[keyof UseCases];

/** Any call may be given up; where the core's use case takes a signal already, that is the one. */
type WithSignal<Input extends readonly unknown[]> = [Extract<Input[number], Signal>] extends [never]
  ? [...Input, signal?: Signal]
  : Input;

/** A use case over HTTP: the member is whoever the token speaks for, and more can go wrong on the way. */
type OverHttp<UseCase> = UseCase extends (member: Member, ...input: infer Input) => ResultAsync<infer Value, Failure>
  ? (...input: WithSignal<Input>) => ResultAsync<Value, ClientFailure>
  : never;

/** Every member use case of the core under its own name, with its own input and value. */
export type MemberCalls = { readonly [Name in MemberUseCase]: OverHttp<UseCases[Name]> };

/** What a page needs beyond the use cases. */
export interface DownloadCalls {
  /**
   * A whole document as a Blob of `application/pdf`, in memory: for an object URL. Fails like `getDocument`, also when
   * the rest of the document does not come.
   */
  readonly getDocumentBlob: (locator: string, signal?: Signal) => ResultAsync<Blob, ClientFailure>;
}

/** What the search half answers to a client. Neither is asked with a token. */
export interface SearchCalls {
  /**
   * Puts a query to every leg (`{persona, query, user_id}`; contract, section 5) and resolves as soon as the server has
   * taken it on. Given up by its signal, also later. Fails `invalid`, or `overloaded` when too many searches wait.
   */
  readonly search: (...input: Parameters<SearchUseCases['search']>) => ResultAsync<SearchStream, ClientFailure>;
  /** The configured legs. What is not public of a leg (`extraContext`, `verifyCallbacks`) is left out. */
  readonly listLegs: (
    ...input: WithSignal<Parameters<SearchUseCases['listLegs']>>
  ) => ReturnType<SearchUseCases['listLegs']> extends ResultAsync<infer Legs, Failure>
    ? ResultAsync<Legs, ClientFailure>
    : never;
}

/** The core's `RunningSearch` as it is heard from elsewhere: how many legs there are is known when the last has settled. */
export interface SearchStream {
  /**
   * Each leg as it settles, from the first on whenever it is iterated. It never throws: it ends with the last leg, or
   * where the search broke off, and `answer` says which. Nobody has to listen.
   */
  readonly legs: AsyncIterable<LegEvent>;
  /** The whole answer, once every leg has settled. */
  readonly answer: ResultAsync<SearchJson, ClientFailure>;
}

/** The answer to a search as it was received (contract, section 5): the callback of each leg, or null, under its id. */
export type SearchJson = Json & {
  readonly value: Readonly<Record<string, unknown>> & {
    readonly elapsed_ms: number;
    /** By the ids of the legs that failed; not there when none did. */
    readonly errors?: Readonly<Record<string, NonNullable<LegEvent['error']>>>;
    readonly traces: Readonly<Record<string, LegEvent['trace']>>;
  };
};
