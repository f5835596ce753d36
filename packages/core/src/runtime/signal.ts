/** The part of an `AbortSignal` that a port needs; every `AbortSignal` is one. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
