import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Ask } from './questions.ts';
import { run } from './run.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** Runs the command with the arguments and the terminal of this process. */
export const main = async (): Promise<void> => {
  const terminal = process.stdin.isTTY ? prompt() : undefined;
  process.exitCode = await run(process.argv.slice(2), version, {
    print: (text) => process.stdout.write(text),
    printError: (text) => process.stderr.write(text),
    ...(terminal && { ask: terminal.ask }),
  });
  terminal?.close();
};

const prompt = (): { readonly ask: Ask; readonly close: () => void } => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, crlfDelay: Infinity });
  // readline stops reading at Ctrl-Z.
  terminal.on('SIGCONT', () => terminal.resume());
  // The iterator keeps lines that arrive before their question, as when several are pasted at once.
  const lines = terminal[Symbol.asyncIterator]();
  return {
    ask: async (question) => {
      const start = question.lastIndexOf('\n') + 1;
      process.stderr.write(question.slice(0, start));
      terminal.setPrompt(question.slice(start));
      terminal.prompt();
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    close: () => terminal.close(),
  };
};
