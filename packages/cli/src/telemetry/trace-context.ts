import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/**
 * Forwards a caller's `traceparent` and `tracestate` to the services (W3C Trace Context, section 3), unless an
 * OpenTelemetry SDK is already registered.
 */
export const forwardTraceContext = (): void => {
  if (context.setGlobalContextManager(new AsyncLocalStorageContextManager()))
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
};
