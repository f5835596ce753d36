/** Whether a value is used for the first time. `full`: unknown, because no more values can be remembered now. */
export type ReplayCheck = 'first' | 'repeated' | 'full';

/** Remembers values that may be used only once, such as the `jti` of a DPoP proof (RFC 9449, section 11.1). */
export interface ReplayGuard {
  /** Remembers a value for at least this many seconds, at most `maxReplaySeconds`. Never rejects. */
  use(value: string, seconds: number): Promise<ReplayCheck>;
  /** Why repeated values may not be noticed, without private data; undefined when they are. */
  readonly degradedReason?: string | undefined;
}

/** How far the `iat` of a DPoP proof may be from now, in both directions (RFC 9449, section 11.1). */
export const proofAgeSeconds = 60;

/** Values are remembered longer than they are valid, because the clocks of instances differ. */
export const replayMarginSeconds = 10;

/** The longest time to remember a value: as long as a proof can be valid, and the margin. */
export const maxReplaySeconds = 2 * proofAgeSeconds + replayMarginSeconds;
