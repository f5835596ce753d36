/** Whether a value is used for the first time. `full`: unknown, because no more values can be remembered now. */
export type ReplayCheck = 'first' | 'repeated' | 'full';

/** Remembers values that may be used only once, such as the `jti` of a DPoP proof (RFC 9449, section 11.1). */
export interface ReplayGuard {
  /** Remembers a value for at least this many seconds, at most `maxReplaySeconds`. Never rejects. */
  use(value: string, seconds: number): Promise<ReplayCheck>;
  /** Why repeated values may not be noticed, without private data; undefined when they are. */
  readonly degradedReason?: string | undefined;
}

/** A proof is valid up to 60 s before and after its `iat`; the rest is for clocks that differ between instances. */
export const maxReplaySeconds = 130;
