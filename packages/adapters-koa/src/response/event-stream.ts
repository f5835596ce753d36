import { Readable } from 'node:stream';
import type { Context } from 'koa';

/** Whether the client prefers server-sent events to JSON. Adds `Accept` to `Vary`. */
export const prefersEvents = (ctx: Context): boolean => {
  ctx.vary('Accept');
  return ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream';
};

/**
 * Sends server-sent events (HTML Living Standard, section 9.2). The next event is requested after the previous one was
 * read, so that a slow client buffers only one. The iterator is returned when the client disconnects.
 */
export const sendEvents = (ctx: Context, events: AsyncIterable<Buffer>): void => {
  ctx.status = 200;
  ctx.body = Readable.from(events);
  ctx.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
};

/** A comment, which clients ignore. As the first event, it sends the headers. */
export const comment = (text: string): Buffer => Buffer.from(`: ${text}\n\n`);

/**
 * Formats an event on one line: in JSON, line breaks are only between tokens, where a space means the same. They are
 * replaced in the bytes, because a callback may consist of line breaks, which `replaceAll` takes seconds to replace.
 */
export const event = (name: string, data: string): Buffer => {
  const start = `event: ${name}\ndata: `;
  const bytes = Buffer.from(`${start}${data}\n\n`);
  if (!data.includes('\n') && !data.includes('\r')) return bytes;
  for (let at = start.length; at < bytes.length - 2; at++)
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) bytes[at] = space;
  return bytes;
};

const [lineFeed, carriageReturn, space] = [0x0a, 0x0d, 0x20] as const;
