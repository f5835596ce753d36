import { isSecureUrl, secureUrlRule } from '@portico/adapters-session/defaults';
import { serviceNames } from '@portico/core';
import { openTerminal } from '../session/input.ts';
import { isBuiltIn } from '../settings/built-in-services.ts';
import { baseUrl, url, integer } from '../settings/setting-types.ts';
import { type Answers, defaultAnswers, exampleService } from './starting-settings.ts';

/** Reads one line. Undefined when the input ends. */
type Ask = (question: string) => Promise<string | undefined>;

/** An answer that is not accepted is a problem, and the question is repeated. */
type Read<T> = (answer: string) => { readonly value: T } | { readonly problem: string };

/** Prompts on the terminal; each question shows its default, which an empty line accepts. Undefined when interrupted. */
export const askForAnswers = async (signal: AbortSignal): Promise<Answers | undefined> => {
  const terminal = openTerminal(process.stderr, signal);
  // The iterator keeps lines that arrive before their question, as when several are pasted at once.
  const lines = terminal[Symbol.asyncIterator]();
  try {
    return await answersFrom(async (question) => {
      const [above, prompt] = [question.slice(0, question.lastIndexOf('\n') + 1), question.split('\n').at(-1) ?? ''];
      process.stderr.write(above);
      terminal.setPrompt(prompt);
      terminal.prompt();
      const { value, done } = await lines.next();
      return done ? undefined : value;
    });
  } finally {
    terminal.close();
  }
};

/** The questions, in order. */
export const answersFrom = async (ask: Ask): Promise<Answers | undefined> => {
  const issuer = await accepted(ask, 'Issuer of the access tokens', defaultAnswers.issuer, readUrl(url));
  if (issuer === undefined) return undefined;
  const names = await accepted(ask, 'Services, separated by commas', serviceNames.join(','), readServices);
  if (names === undefined) return undefined;
  const services: Record<string, string> = {};
  for (const name of names) {
    const service = await accepted(ask, `Base URL of ${name}`, exampleService(name), readUrl(baseUrl));
    if (service === undefined) return undefined;
    services[name] = service;
  }
  const port = await accepted(ask, 'Port to listen on', String(defaultAnswers.port), readPort);
  if (port === undefined) return undefined;
  const hasPages = await accepted(ask, "Serve the member's pages from the folder pages (yes or no)", 'no', readYesOrNo);
  if (hasPages === undefined) return undefined;
  const hasSessions =
    hasPages && (await accepted(ask, 'Sign members in with a session cookie (yes or no)', 'yes', readSessions(issuer)));
  return hasSessions === undefined ? undefined : { issuer, services, port, hasPages, hasSessions };
};

/** Repeats a question until its answer is accepted. */
const accepted = async <T>(ask: Ask, question: string, usual: string, read: Read<T>): Promise<T | undefined> => {
  for (let problem = ''; ;) {
    const line = await ask(`${problem}${question} [${usual}]: `);
    if (line === undefined) return undefined;
    const result = read(line.trim() || usual);
    if ('value' in result) return result.value;
    problem = `  ${result.problem}\n`;
  }
};

const readUrl =
  (kind: typeof url): Read<string> =>
  (answer) => {
    const { success, error } = kind.safeParse(answer);
    return success ? { value: answer } : { problem: error.issues[0]?.message ?? 'must be a URL' };
  };

const readServices: Read<readonly string[]> = (answer) => {
  const names = answer.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !isBuiltIn(name));
  return unknown.length === 0 ? { value: names } : { problem: `must be some of ${serviceNames.join(', ')}` };
};

const readPort: Read<number> = (answer) => {
  const { success, data, error } = integer(1, 65_535).safeParse(/^\d+$/.test(answer) ? Number(answer) : answer);
  return success ? { value: data } : { problem: error.issues[0]?.message ?? 'must be a port' };
};

/** Sessions need a provider whose connection is encrypted, unless it is on this machine. */
const readSessions =
  (issuer: string): Read<boolean> =>
  (answer) => {
    const read = readYesOrNo(answer);
    return 'value' in read && read.value && !isSecureUrl(URL.parse(issuer))
      ? { problem: `the issuer of sessions ${secureUrlRule}; answer no, or start again` }
      : read;
  };

const readYesOrNo: Read<boolean> = (answer) =>
  /^(?:y|yes|n|no)$/i.test(answer) ? { value: /^y/i.test(answer) } : { problem: 'must be yes or no' };
