import type { Writable } from 'node:stream';

/** So many characters are worth a system call. */
const worthWriting = 16_384;
/** No line waits longer for others. */
const longestWaitMs = 100;
/** What nobody reads is kept up to so many bytes. */
const mostUnread = 16_777_216;

/**
 * Lines on their way out, many to a write. Not pino's destination (sonic-boom): when stderr is a full disk or a closed
 * pipe, that one tries for ever to write what is left at the exit, and the process never ends.
 */
export class LineBuffer {
  readonly #output: Writable;
  readonly #onDropped: (lines: number) => void;
  #text = '';
  #isTimed = false;
  #dropped = 0;

  /** `onDropped` is told how many lines are gone, once there is room again. */
  constructor(output: Writable, onDropped: (lines: number) => void) {
    this.#output = output;
    this.#onDropped = onDropped;
  }

  readonly write = (line: string): void => {
    if (this.#output.writableLength > mostUnread) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      this.#onDropped(dropped);
    }
    this.#text += line;
    if (this.#text.length >= worthWriting) this.flush();
    else if (!this.#isTimed) {
      this.#isTimed = true;
      setTimeout(this.#atLast, longestWaitMs).unref();
    }
  };

  readonly flush = (): void => {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#output.write(text);
  };

  readonly #atLast = (): void => {
    this.#isTimed = false;
    this.flush();
  };
}
