import { screenOf, type Style } from './screen.ts';

/** Progress on stderr: one line per finished step and, on a terminal only, a status line for the current step. */
export interface Progress {
  readonly style: (format: Style, text: string) => string;
  line(text: string): void;
  /** Whether a status is shown. */
  readonly isLive: boolean;
  /** Shows a status of one or several lines until the next line or status. */
  waiting(...lines: readonly string[]): void;
  /** Clears the status line. */
  end(): void;
}

export const progress = (): Progress => {
  const stream = process.stderr;
  const { style, width, isTerminal } = screenOf(stream);
  let shown = 0;
  const clear = () => {
    if (shown > 0) stream.write(`\r\u001b[K${'\u001b[1A\u001b[K'.repeat(shown - 1)}`);
    shown = 0;
  };
  return {
    style,
    isLive: isTerminal,
    line: (text) => {
      clear();
      stream.write(`${text}\n`);
    },
    waiting: (...lines) => {
      if (!isTerminal) return;
      clear();
      stream.write(lines.map((line) => line.slice(0, width - 1)).join('\n'));
      shown = lines.length;
    },
    end: clear,
  };
};

/** Returns the symbol for the outcome of a step. */
export const mark = (outcome: 'good' | 'bad' | 'none', { style }: Pick<Progress, 'style'>): string =>
  ({ good: style('green', '✔'), bad: style('red', '✖'), none: style('dim', '–') })[outcome];
