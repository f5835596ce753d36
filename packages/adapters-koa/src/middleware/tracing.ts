import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Middleware } from 'koa';
import { methodOf, routeOf } from '../request/request-report.ts';

const serverSpan = { kind: SpanKind.SERVER };

/**
 * Creates a server span per request with the OpenTelemetry SDK that the process has registered, if any. The parent is the
 * client's `traceparent` (W3C Trace Context), unless the process traces its HTTP server itself. Attributes follow the
 * semantic conventions for HTTP but contain no private data: no path, query, unknown method or client address.
 */
export const tracing = (): Middleware => {
  const tracer = trace.getTracer('@portico/adapters-koa');
  return (ctx, next) => {
    const active = context.active();
    const parent = trace.getSpan(active) ? active : propagation.extract(active, ctx.req.headers);
    const method = methodOf(ctx);
    const name = method === '_OTHER' ? 'HTTP' : method;
    const span = tracer.startSpan(name, serverSpan, parent);
    if (parent === active && !span.isRecording()) return next();
    const completed = context.with(trace.setSpan(parent, span), next);
    if (!span.isRecording()) return completed;
    return completed.finally(() => {
      const route = routeOf(ctx);
      const { statusCode } = ctx.res;
      if (route !== undefined) span.updateName(`${name} ${route}`).setAttribute('http.route', route);
      span.setAttributes({ 'http.request.method': method, 'http.response.status_code': statusCode });
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
  };
};
