import { appendFileSync } from 'node:fs';
import { type Span, trace, type Tracer } from '@opentelemetry/api';

/**
 * A minimal OpenTelemetry SDK for `node --import`: writes every ended span with all its data as a line of JSON to the
 * file `SPANS_FILE`.
 */
const file = process.env['SPANS_FILE'];

const startSpan: Tracer['startSpan'] = (name, options) => {
  const recorded: Record<string, unknown> = { name, ...options };
  const set = (more: object) => {
    Object.assign(recorded, more);
    return span;
  };
  const span: Span = {
    spanContext: () => ({ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), traceFlags: 1 }),
    isRecording: () => true,
    updateName: (better) => set({ name: better }),
    setAttribute: (key, value) => set({ [key]: value }),
    setAttributes: (attributes) => set(attributes),
    setStatus: (status) => set({ status }),
    addEvent: (event, attributes) => set({ [`event ${event}`]: attributes }),
    addLink: (link) => set({ link }),
    addLinks: (links) => set({ links }),
    recordException: (exception) => set({ exception }),
    end: () => {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(recorded)}\n`);
    },
  };
  return span;
};

trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as unknown as Tracer });
