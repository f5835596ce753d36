import type { Writable } from 'node:stream';

/** The buffer is written when it has this many characters. */
const flushCharacters = 16_384;
/** Maximum time that a line stays in the buffer. */
const maxDelayMs = 100;
/** Lines are dropped while more than this many written bytes are unread. */
export const maxUnreadBytes = 16_777_216;

/**
 * Buffers log lines to write many at once. Replaces pino's destination (sonic-boom), which retries forever at exit when
 * stderr is a full disk or a closed pipe, so that the process never ends.
 */
export class LineBuffer {
  readonly #output: Writable;
  readonly #onDropped: (lines: number) => void;
  #text = '';
  #isTimerSet = false;
  #dropped = 0;
  /** The last write failed, possibly in the middle of a line. */
  #isFailing = false;

  /** `onDropped` is called with the number of dropped lines when writing resumes. */
  constructor(output: Writable, onDropped: (lines: number) => void) {
    this.#output = output;
    this.#onDropped = onDropped;
  }

  readonly write = (line: string): void => {
    if (this.#output.writableLength > maxUnreadBytes) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0 && !this.#isFailing) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      this.#onDropped(dropped);
    }
    this.#text += line;
    if (this.#text.length >= flushCharacters) this.flush();
    else if (!this.#isTimerSet) {
      this.#isTimerSet = true;
      setTimeout(this.#onTimer, maxDelayMs).unref();
    }
  };

  readonly flush = (): void => {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#output.write(this.#isFailing ? `\n${text}` : text, (error) => {
      this.#isFailing = Boolean(error);
      if (error) this.#dropped += text.split('\n').length - 1;
    });
  };

  readonly #onTimer = (): void => {
    this.#isTimerSet = false;
    this.flush();
  };
}
