import { screenOf, type Style } from './screen.ts';

/** What goes on, on stderr: what is over stays as a line; what is waited for is shown on a terminal only. */
export interface Progress {
  readonly style: (format: Style, text: string) => string;
  line(text: string): void;
  /** Shown until the next line or text. */
  waiting(text: string): void;
  /** Leaves nothing half written behind. */
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

/** What became of a step, before its name. */
export const mark = (outcome: 'good' | 'bad' | 'none', { style }: Progress): string =>
  ({ good: style('green', '✔'), bad: style('red', '✖'), none: style('dim', '–') })[outcome];
