import { context, propagation, type Span, trace } from '@opentelemetry/api';
import { aMember } from '@portico/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downstream } from '../downstreams/downstream.ts';
import { httpServer } from './local-servers.test.support.ts';

/** A span that keeps what it was told, as an SDK's would send it. */
const recordedSpan = (name: string, told: Record<string, unknown>): Span => {
  Object.assign(told, { name });
  const span = {
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
    isRecording: () => true,
    setAttribute: (key: string, value: unknown) => Object.assign(told, { [key]: value }) && span,
    setAttributes: (attributes: object) => Object.assign(told, attributes) && span,
    setStatus: (status: object) => Object.assign(told, { status }) && span,
    end: () => Object.assign(told, { ended: true }),
  };
  return span as unknown as Span;
};

let spans: Record<string, unknown>[];

beforeEach(() => {
  spans = [];
  const startSpan = (name: string) => {
    const told = {};
    spans.push(told);
    return recordedSpan(name, told);
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  propagation.setGlobalPropagator({
    fields: () => [],
    extract: (parent) => parent,
    inject: (active, carrier, { set }) => set(carrier, 'traceparent', trace.getSpanContext(active)?.traceId ?? ''),
  });
});

afterEach(() => {
  trace.disable();
  propagation.disable();
  context.disable();
});

const respond = (status: number) =>
  httpServer((response) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'));

describe('the span of a call', () => {
  it('names service and method, and goes on to the service', async () => {
    const server = await respond(200);
    await downstream('claims', { url: server.url }).get('list', aMember('PTY-SECRET'), { query: [['status', 'open']] });
    expect(spans).toEqual([
      { name: 'GET claims', 'http.request.method': 'GET', 'portico.service': 'claims', ended: true },
    ]);
    expect(server.requests[0]?.headers['traceparent']).toBe('1'.repeat(32));
  });

  it.each([
    [404, { 'error.type': 'not-found' }],
    [500, { 'error.type': 'status', status: { code: 2 } }],
  ])('says how a %i ended it', async (status, told) => {
    const server = await respond(status);
    await downstream('claims', { url: server.url }).get('list', aMember());
    expect(spans).toMatchObject([{ ...told, ended: true }]);
  });

  it('ends where the service cannot be reached', async () => {
    await downstream('claims', { url: 'http://127.0.0.1:1' }).get('list', aMember());
    expect(spans).toMatchObject([{ 'error.type': 'unreachable', status: { code: 2 }, ended: true }]);
  });
});

it('without an SDK no header is added', async () => {
  trace.disable();
  propagation.disable();
  const server = await respond(200);
  await downstream('claims', { url: server.url }).get('list', aMember());
  expect(server.requests[0]?.headers).not.toHaveProperty('traceparent');
});
