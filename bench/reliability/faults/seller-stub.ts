import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Envelope } from '@portico/core';
import { anOnSearch } from '@portico/core/testing';
import { type Dispatcher, Pool } from 'undici';
import { machineTime } from '../../machine-time.ts';
import { searchLimits } from '../limits.ts';
import { send } from '../client.ts';

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

/** The callbacks of all sellers in this process: how many were sent, and which received an unexpected response. */
export const callbacks = { sent: 0, failed: [] as { readonly at: number; readonly outcome: string }[] };

const callBack = async (portico: Dispatcher, body: string, expected = '200'): Promise<void> => {
  callbacks.sent++;
  const outcome = await send(portico, 'POST /on_search', { body });
  if (outcome === expected) return;
  callbacks.failed.push({ at: machineTime(), outcome: `expected ${expected}, received ${outcome}` });
};

/** With a connection per callback: a draining server could close a kept-alive one just as the callback is sent. */
let portico: Pool | undefined;

/** The callback of a seller. */
export const callbackOf = (leg: string, transactionId: string, query: string): string =>
  anOnSearch(transactionId, { sellerId: `${leg}.bench.example`, catalog: { query, providers: [] } }).text;

const serve = async (leg: string, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { context, message } = (await json(incoming)) as Envelope;
  const query = message.intent.item.descriptor.name;
  const behaviour = new RegExp(`${leg}=([a-z ]+)(?:,|$)`).exec(query)?.[1] as Behaviour;
  portico ??= new Pool(context.bap_uri, { pipelining: 0 });
  const body = callbackOf(leg, context.transaction_id, query);
  const acknowledge = (status: string) => response.end(JSON.stringify({ message: { ack: { status } } }));

  response.setHeader('Content-Type', 'application/json');
  if (behaviour === 'nack') return void acknowledge('NACK');
  if (behaviour === 'no ack') return;
  if (behaviour === 'in the ack') return void response.end(body);
  if (behaviour === 'before the ack') await callBack(portico, body);
  acknowledge('ACK');
  if (behaviour === 'never' || behaviour === 'before the ack') return;
  await pause(behaviour === 'late' ? lateMs : 30);
  if (behaviour === 'unknown search first') await callBack(portico, callbackOf(leg, randomUUID(), query));
  if (behaviour === 'malformed callback first') await callBack(portico, body.slice(0, -1), '400');
  await callBack(portico, body);
  if (behaviour === 'twice') await callBack(portico, body);
};

/** The seller of one leg. */
export const sellerStub =
  (leg: string): RequestListener =>
  (incoming, response) => {
    serve(leg, incoming, response).catch(() => response.destroy());
  };
