import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { machineTime } from '../machine-time.ts';

/** How a seller does its work, and what becomes of the leg. The query of a search says which: `moa=prompt mh=late`. */
export const manners = {
  prompt: 'delivered',
  'before the ack': 'delivered',
  twice: 'delivered',
  'with one for a stranger': 'delivered',
  'with a broken one first': 'delivered',
  'in the ack': 'delivered',
  late: 'timeout',
  never: 'timeout',
  refusing: 'bap_unreachable',
  'without an ack': 'bap_unreachable',
} as const;

export type Manner = keyof typeof manners;

export const searchTimeoutMs = 2500;
export const ackTimeoutMs = 1500;
export const lateMs = searchTimeoutMs + 700;

/** A callback that was not answered as it should have been; `at` is machine time. */
export interface WrongCallback {
  readonly at: number;
  readonly seen: string;
}

// A connection for each: one that is kept could be closed by a server that is draining, just when a callback sets out.
const dispatcher = new Agent({ pipelining: 0 });

export const seller = (leg: string) => {
  let sent = 0;
  const wrong: WrongCallback[] = [];

  const callBack = async (url: string, body: string, wanted = 200): Promise<void> => {
    sent++;
    const headers = { 'content-type': 'application/json' };
    const seen = await request(url, { method: 'POST', headers, body, dispatcher }).then(
      async (answer) => {
        await answer.body.dump();
        return answer.statusCode;
      },
      (error: unknown) => String((error as { readonly code?: unknown }).code),
    );
    if (seen !== wanted) wrong.push({ at: machineTime(), seen: `${wanted} wanted, got ${seen}` });
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { context, message } = JSON.parse(await textOf(incoming)) as Search;
    const query = message.intent.item.descriptor.name;
    const manner = new RegExp(`${leg}=([a-z ]+)(?:,|$)`).exec(query)?.[1] as Manner;
    const url = `${context.bap_uri}/on_search`;
    const bodyFor = (transactionId: string) =>
      JSON.stringify({
        context: { ...context, transaction_id: transactionId, action: 'on_search', bpp_id: `${leg}.bench.example` },
        message: { catalog: { query, providers: [] } },
      });
    const body = bodyFor(context.transaction_id);
    const acknowledge = (status: string) => response.end(JSON.stringify({ message: { ack: { status } } }));

    response.setHeader('Content-Type', 'application/json');
    if (manner === 'refusing') return void acknowledge('NACK');
    if (manner === 'without an ack') return;
    if (manner === 'in the ack') return void response.end(body);
    if (manner === 'before the ack') await callBack(url, body);
    acknowledge('ACK');
    if (manner === 'never' || manner === 'before the ack') return;
    await pause(manner === 'late' ? lateMs : 30);
    if (manner === 'with one for a stranger') await callBack(url, bodyFor(randomUUID()));
    if (manner === 'with a broken one first') await callBack(url, body.slice(0, -1), 400);
    await callBack(url, body);
    if (manner === 'twice') await callBack(url, body);
  };

  const listener: RequestListener = (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  };
  /** How many callbacks were sent, and which were answered wrongly. */
  return { listener, report: () => ({ sent, wrong }) };
};

interface Search {
  readonly context: { readonly transaction_id: string; readonly bap_uri: string };
  readonly message: { readonly intent: { readonly item: { readonly descriptor: { readonly name: string } } } };
}

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
  return text;
};
