import { once } from 'node:events';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { type Context, context, propagation, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listening, servePortal } from '../server/portal.test.support.ts';
import { createServer } from '../server/server.ts';

/** A span as recorded by a tracing SDK. */
type RecordedSpan = Record<string, unknown>;

let spans: RecordedSpan[];

const spanOf = (record: RecordedSpan): Span => {
  const span = {
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
    isRecording: () => true,
    updateName: (name: string) => Object.assign(record, { name }) && span,
    setAttribute: (key: string, value: unknown) => Object.assign(record, { [key]: value }) && span,
    setAttributes: (attributes: object) => Object.assign(record, attributes) && span,
    setStatus: (status: object) => Object.assign(record, { status }) && span,
    end: () => Object.assign(record, { ended: true }),
  };
  return span as unknown as Span;
};

beforeEach(() => {
  spans = [];
  const startSpan = (name: string, _: object, parent: Context) => {
    const record: RecordedSpan = { name, parent: trace.getSpanContext(parent)?.traceId };
    spans.push(record);
    return spanOf(record);
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  propagation.setGlobalPropagator({
    fields: () => [],
    inject: () => {},
    extract: (parent, carrier, { get }) => {
      const traceId = String(get(carrier, 'traceparent') ?? '');
      return traceId === '' ? parent : trace.setSpanContext(parent, { traceId, spanId: '3'.repeat(16), traceFlags: 1 });
    },
  });
});

afterEach(() => {
  trace.disable();
  propagation.disable();
  context.disable();
});

describe('request span', () => {
  it('names a span after the route, with the client’s span as parent', async () => {
    const { request } = await servePortal();
    await request('GET', '/me/claims/CLM-1?from=PTY-1', { headers: { traceparent: '4'.repeat(32) } });
    expect(spans).toEqual([
      {
        name: 'GET /me/claims/:locator',
        parent: '4'.repeat(32),
        'http.route': '/me/claims/:locator',
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        ended: true,
      },
    ]);
  });

  it('sets neither route nor error status on the span of a 404', async () => {
    const { request } = await servePortal();
    await request('GET', '/me/PTY-1');
    expect(spans).toMatchObject([{ name: 'GET', 'http.response.status_code': 404, ended: true }]);
    expect(spans[0]).not.toHaveProperty('status');
  });

  it('has no text of the client in place of a method that HTTP/2 passes on', async () => {
    const port = await listening(createServer({}, { server: createHttp2Server() }));
    const session = connect(`http://127.0.0.1:${port}`);
    onTestFinished(() => session.destroy());
    await once(session.request({ ':method': 'PTY-1', ':path': '/livez' }).resume(), 'close');
    expect(spans).toMatchObject([{ name: 'HTTP', 'http.request.method': '_OTHER' }]);
    expect(JSON.stringify(spans)).not.toContain('PTY-1');
  });

  it('uses the active span as parent', async () => {
    const active = trace.setSpanContext(ROOT_CONTEXT, {
      traceId: '5'.repeat(32),
      spanId: '6'.repeat(16),
      traceFlags: 1,
    });
    const manager = { active: () => active, with: (_: unknown, run: () => unknown) => run() };
    context.setGlobalContextManager({ ...manager, bind: () => {}, enable: () => {}, disable: () => {} } as never);
    const { request } = await servePortal();
    await request('GET', '/me/coverage', { headers: { traceparent: '4'.repeat(32) } });
    expect(spans).toMatchObject([{ parent: '5'.repeat(32) }]);
  });
});
