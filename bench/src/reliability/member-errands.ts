import type { DownstreamName } from '@portico/adapters-http';
import type { Dispatcher } from 'undici';
import { type Answer, ask, inWords, lossOf, type Question, send } from './client.ts';
import type { Errand, Errands } from './errand.ts';
import { circuitOpen, consequenceOf } from './fault.ts';
import type { Member } from './members.ts';
import { breakForMs, type HasBreaker, timeoutMs } from './settings.ts';

interface Route extends Question {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly service: DownstreamName;
}

const read = (service: DownstreamName, path: string): Route => ({ service, method: 'GET', path });
const write = (service: DownstreamName, method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Route => ({
  service,
  method,
  path,
  body: JSON.stringify(body),
});

const reads: readonly Route[] = [
  read('eligibility', '/me/coverage'),
  read('eligibility', '/me/accumulators'),
  read('claims', '/me/claims'),
  read('claims', '/me/claims/CLM-1'),
  read('documents', '/me/documents'),
  read('policy', '/me/profile'),
  read('notifications', '/me/preferences'),
  read('notifications', '/me/notifications'),
  read('notifications', '/me/notifications/log'),
  read('consent', '/me/consent'),
];

const flags = { email: true, sms: false, push: true, claimsUpdates: true, billingAlerts: false };

const writes: readonly Route[] = [
  write('claims', 'POST', '/me/claims', { type: 'professional', amount: '120.00' }),
  write('policy', 'PATCH', '/me/profile', { preferredName: 'Sample' }),
  write('notifications', 'PUT', '/me/preferences', { ...flags, enrollmentReminders: true }),
  write('consent', 'PUT', '/me/consent', { consents: [] }),
];

const document = (kibibytes: number): Route => read('documents', `/me/documents/DOC-${kibibytes}`);

/** How long after a trouble the breaker may still be open, at most: the last call's deadline, then its pause. */
const breakerEchoMs = timeoutMs + breakForMs + 500;

const explains =
  (service: DownstreamName, usual: string, hasBreaker: HasBreaker, kind: 'json' | 'pdf'): Errand['explains'] =>
  (seen, during, history) => {
    if (seen === circuitOpen) return hasBreaker(service) && history.mayHaveBroken(service, during, breakerEchoMs);
    const told = history.outcomes(service, during, usual, (trouble) => {
      const consequence = consequenceOf(trouble);
      return consequence[kind] ?? consequence.json;
    });
    return told.has(seen);
  };

/** A good answer to one member, judged by whose it says it is. */
const ofMember = (answer: Answer | string, { locator }: Member, service: string): string => {
  const isGood = typeof answer !== 'string' && answer.status < 300;
  const isTheirs = isGood && answer.text.startsWith(`{"member":"${locator}"`);
  return inWords(answer, service) + (isGood && !isTheirs ? ' of somebody else' : '');
};

export const memberErrands = (members: readonly Member[], hasBreaker: HasBreaker) => {
  const memberOf = (nth: number): Member => members[nth % members.length]!;

  const json =
    (routes: readonly Route[]): Errands =>
    (nth) => {
      const { service, ...question } = routes[nth % routes.length]!;
      const member = memberOf(nth);
      const usual = question.method === 'POST' ? '201' : '200';
      return {
        title: `${question.method} ${question.path}`,
        service,
        run: async (client) => ofMember(await ask(client, { ...question, token: member.token }), member, service),
        explains: explains(service, usual, hasBreaker, 'json'),
      };
    };

  const download =
    (kibibytes: number): Errands =>
    (nth) => {
      const { service, path } = document(kibibytes);
      const { token, locator } = memberOf(nth);
      return {
        title: `a PDF of ${kibibytes} KiB`,
        service,
        run: async (client) => {
          const answer = await ask(client, { path, token });
          if (typeof answer === 'string' || answer.status !== 200) return inWords(answer, service);
          const isWhole = answer.bytes === kibibytes * 1024 && answer.text.startsWith(`%PDF-1.7 ${locator}\n`);
          return isWhole ? '200' : '200 but another document';
        },
        explains: explains(service, '200', hasBreaker, 'pdf'),
      };
    };

  const leftDownload =
    (kibibytes: number): Errands =>
    (nth) => {
      const { service, path } = document(kibibytes);
      const asUsual = explains(service, 'left midway', hasBreaker, 'pdf');
      return {
        title: 'a PDF that is left midway',
        service,
        run: (client) => leave(client, { path, token: memberOf(nth).token }, service),
        // Gone before it could be cut.
        explains: (seen, ...rest) => asUsual(seen, ...rest) || (seen === 'left midway' && asUsual('cut', ...rest)),
      };
    };

  return { reads: json(reads), writes: json(writes), download, leftDownload };
};

/** Goes away after the first bytes of a good answer. */
export const leave = async (client: Dispatcher, question: Question, service?: string): Promise<string> => {
  try {
    const { statusCode: status, headers, body } = await send(client, question);
    if (status !== 200) {
      const text = await body.text();
      return inWords({ status, type: String(headers['content-type']), text, bytes: text.length }, service);
    }
    // Its end is a destruction of the stream, and so of the connection.
    for await (const _ of body) break;
    return 'left midway';
  } catch (error) {
    return lossOf(error);
  }
};
