import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { machineTime } from '../../machine-time.ts';
import { searchLimits } from '../limits.ts';

/** How a seller responds to a search, and the outcome of the leg. Set in the query: `moa=prompt, mh=late`. */
export const behaviours = {
  prompt: 'delivered',
  'before the ack': 'delivered',
  twice: 'delivered',
  'unknown search first': 'delivered',
  'malformed callback first': 'delivered',
  'in the ack': 'delivered',
  late: 'timeout',
  never: 'timeout',
  nack: 'bap_unreachable',
  'no ack': 'bap_unreachable',
} as const;

export type Behaviour = keyof typeof behaviours;

export const lateMs = searchLimits.timeoutMs + 700;

/** A callback that received an unexpected response; `at` is machine time. */
export interface FailedCallback {
  readonly at: number;
  readonly outcome: string;
}

interface Search {
  readonly context: { readonly transaction_id: string; readonly bap_uri: string };
  readonly message: { readonly intent: { readonly item: { readonly descriptor: { readonly name: string } } } };
}

/** A seller, and a report of how many callbacks it sent and which received an unexpected response. */
export const sellerStub = (leg: string) => {
  let sent = 0;
  const failed: FailedCallback[] = [];

  const callBack = async (url: string, body: string, expected = 200): Promise<void> => {
    sent++;
    const headers = { 'content-type': 'application/json' };
    // A connection per callback: a draining server could close a kept-alive one just as the callback is sent.
    const status = await request(url, { method: 'POST', headers, body, reset: true }).then(
      async (response) => {
        await response.body.dump();
        return response.statusCode;
      },
      (error: unknown) => String((error as { readonly code?: unknown }).code),
    );
    if (status !== expected) failed.push({ at: machineTime(), outcome: `expected ${expected}, received ${status}` });
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { context, message } = (await json(incoming)) as Search;
    const query = message.intent.item.descriptor.name;
    const behaviour = new RegExp(`${leg}=([a-z ]+)(?:,|$)`).exec(query)?.[1] as Behaviour;
    const url = `${context.bap_uri}/on_search`;
    const bodyFor = (transactionId: string) =>
      JSON.stringify({
        context: { ...context, transaction_id: transactionId, action: 'on_search', bpp_id: `${leg}.bench.example` },
        message: { catalog: { query, providers: [] } },
      });
    const body = bodyFor(context.transaction_id);
    const acknowledge = (status: string) => response.end(JSON.stringify({ message: { ack: { status } } }));

    response.setHeader('Content-Type', 'application/json');
    if (behaviour === 'nack') return void acknowledge('NACK');
    if (behaviour === 'no ack') return;
    if (behaviour === 'in the ack') return void response.end(body);
    if (behaviour === 'before the ack') await callBack(url, body);
    acknowledge('ACK');
    if (behaviour === 'never' || behaviour === 'before the ack') return;
    await pause(behaviour === 'late' ? lateMs : 30);
    if (behaviour === 'unknown search first') await callBack(url, bodyFor(randomUUID()));
    if (behaviour === 'malformed callback first') await callBack(url, body.slice(0, -1), 400);
    await callBack(url, body);
    if (behaviour === 'twice') await callBack(url, body);
  };

  const listener: RequestListener = (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  };
  return { listener, report: () => ({ sent, failed }) };
};
