import type { NotificationLog } from '@portico/client';
import { newestFirst } from '../api/newest-first.ts';
import type { Tone } from '../design/tag.tsx';

export type LogEntry = NonNullable<NotificationLog['log']>[number];

/** How a delivery went. A status that is not known is shown without a colour. */
export const toneOf = (status: string | undefined): Tone => {
  switch (status) {
    case 'delivered':
      return 'good';
    case 'sent':
    case 'queued':
      return 'info';
    case 'bounced':
    case 'failed':
    case 'undelivered':
      return 'bad';
    default:
      return 'neutral';
  }
};

export const sentLatestFirst = (log: readonly LogEntry[]): readonly LogEntry[] =>
  newestFirst(log, ({ sentAt }) => sentAt);

/** The latest message to each recipient, if it did not arrive: the member may have to correct the address. */
export const notReached = (log: readonly LogEntry[]): readonly LogEntry[] => {
  const latest = new Map<string, LogEntry>();
  for (const entry of sentLatestFirst(log)) {
    const recipient = `${entry.channel ?? ''} ${entry.to ?? ''}`;
    if (!latest.has(recipient)) latest.set(recipient, entry);
  }
  return [...latest.values()].filter(({ status }) => toneOf(status) === 'bad');
};
