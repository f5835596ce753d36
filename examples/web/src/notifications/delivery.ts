import type { NotificationLog } from '@portico/client';
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
  log.toSorted((one, other) => ((one.sentAt ?? '') < (other.sentAt ?? '') ? 1 : -1));

/** The latest message to each recipient, if it did not arrive: the member may have to correct the address. */
export const notReached = (log: readonly LogEntry[]): readonly LogEntry[] => {
  const latest = new Map<string, LogEntry>();
  for (const entry of sentLatestFirst(log)) {
    const recipient = `${entry.channel ?? ''} ${entry.to ?? ''}`;
    if (!latest.has(recipient)) latest.set(recipient, entry);
  }
  return [...latest.values()].filter(({ status }) => toneOf(status) === 'bad');
};
