import { context, INVALID_TRACEID, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Failure, Service } from '@portico/core';
import { ResultAsync } from 'neverthrow';

const clientSpan = { kind: SpanKind.CLIENT };

const noHeaders = {};

const tracer = trace.getTracer('@portico/adapters-http');

/**
 * Runs a call to a service within a client span of the registered OpenTelemetry SDK. The call receives the headers that
 * propagate the span (W3C Trace Context: `traceparent`, `tracestate`). No attribute contains a URL or identifies a member.
 */
export const traced = <T>(
  service: Service,
  method: string,
  call: (headers: Readonly<Record<string, string>>) => ResultAsync<T, Failure>,
): ResultAsync<T, Failure> => {
  const span = tracer.startSpan(`${method} ${service}`, clientSpan);
  if (span.spanContext().traceId === INVALID_TRACEID) return call(noHeaders);
  const headers: Record<string, string> = {};
  // Without the baggage of the client, which may name a member (contract, section 1).
  propagation.inject(propagation.deleteBaggage(trace.setSpan(context.active(), span)), headers);
  const result = call(headers);
  return span.isRecording() ? new ResultAsync(endSpan(span, service, method, result)) : result;
};

const endSpan = async <T>(span: Span, service: Service, method: string, call: ResultAsync<T, Failure>) => {
  const result = await call;
  span.setAttributes({ 'http.request.method': method, 'portico.service': service });
  if (result.isErr()) {
    const { error } = result;
    span.setAttribute('error.type', error.kind === 'upstream' ? error.reason : error.kind);
    if (error.kind !== 'not-found') span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
  return result;
};
