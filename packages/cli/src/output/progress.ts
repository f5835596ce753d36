import { screenOf, type Style } from './screen.ts';

/** Progress on stderr: one line per finished step and, on a terminal only, a status line for the current step. */
export interface Progress {
  readonly style: (format: Style, text: string) => string;
  line(text: string): void;
  /** Shows a status until the next line or status. */
  waiting(text: string): void;
  /** Clears the status line. */
  end(): void;
}

export const progress = (stream: NodeJS.WriteStream = process.stderr): Progress => {
  const { style, width } = screenOf(stream);
  let shown = false;
  const clear = () => {
    if (shown) stream.write('\r\u001b[K');
    shown = false;
  };
  return {
    style,
    line: (text) => {
      clear();
      stream.write(`${text}\n`);
    },
    waiting: (text) => {
      if (!stream.isTTY) return;
      clear();
      stream.write(text.slice(0, width - 1));
      shown = true;
    },
    end: clear,
  };
};

/** Returns the symbol for the outcome of a step. */
export const mark = (outcome: 'good' | 'bad' | 'none', { style }: Pick<Progress, 'style'>): string =>
  ({ good: style('green', '✔'), bad: style('red', '✖'), none: style('dim', '–') })[outcome];
