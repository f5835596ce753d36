import type { SessionEvent } from '@portico/adapters-session';
import { Counter, type Registry } from 'prom-client';

/** Listed here, because the adapter is only loaded when there are sessions. */
const events = Object.keys({
  'sign-in': true,
  'sign-in-failed': true,
  refresh: true,
  'refresh-refused': true,
  'refresh-failed': true,
  expired: true,
  'sign-out': true,
  'revocation-failed': true,
  'back-channel-logout': true,
  'back-channel-logout-refused': true,
  'cookie-refused': true,
  'cross-site': true,
  'other-member': true,
} satisfies Record<SessionEvent['name'], true>);

/** Creates the metrics of browser sessions. */
export const sessionMetrics = (registry: Registry): ((event: SessionEvent) => void) => {
  const counter = new Counter({
    name: 'portico_session_events_total',
    help: 'What happened to browser sessions, by event.',
    labelNames: ['event'],
    registers: [registry],
  });
  for (const event of events) counter.inc({ event }, 0);
  return ({ name }) => counter.inc({ event: name });
};
