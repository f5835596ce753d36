import type { NotificationLog } from '@portico/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { pageIconPaths } from '../design/data/page-icon-paths.ts';
import { PageLink } from '../frame/page-link.tsx';
import { Card } from '../design/card.tsx';
import { type Column, DataTable } from '../design/data/data-table.tsx';
import { Notice } from '../design/notice.tsx';
import { Tag } from '../design/tag.tsx';
import { missing } from '../texts/format.ts';
import { nameOf, useFormat, useTexts } from '../texts/texts.tsx';
import { type LogEntry, notReached, sentLatestFirst, toneOf } from './delivery.ts';

/** The messages that were sent to the member, by channel, and whether they arrived. */
export const LogCard = ({ log: resource }: { readonly log: UseQueryResult<NotificationLog> }) => {
  const texts = useTexts().notifications.log;
  return (
    <Card
      title={texts.title}
      icon={pageIconPaths.mail}
      className="notification-log"
      resource={resource}
      empty={texts.none}
    >
      {({ log = [] }) => (log.length === 0 ? undefined : <Log log={sentLatestFirst(log)} />)}
    </Card>
  );
};

const recipient = (channel: string, to: string | undefined) => (
  <span className="recipient">
    {channel} <span className="fine">{to}</span>
  </span>
);

const resultTag = (status: string | undefined, names: Readonly<Record<string, string>>) => (
  <Tag tone={toneOf(status)}>{nameOf(names, status)}</Tag>
);

interface LogProps {
  readonly log: readonly LogEntry[];
}

const Log = ({ log }: LogProps) => {
  const texts = useTexts().notifications.log;
  const format = useFormat();
  const columns: readonly Column<LogEntry>[] = [
    { title: texts.message, cell: ({ template }) => nameOf(texts.templates, template) },
    { title: texts.to, cell: ({ channel, to }) => recipient(nameOf(texts.channels, channel), to) },
    { title: texts.at, cell: ({ sentAt }) => format.date(sentAt) },
    {
      title: texts.status,
      cell: ({ status }) => resultTag(status, texts.statuses),
    },
  ];
  return (
    <>
      <p>{texts.lead}</p>
      <NotReached log={log} />
      <DataTable
        caption={texts.title}
        columns={columns}
        rows={log}
        keyOf={({ id, channel, sentAt }) => id ?? `${channel} ${sentAt}`}
      />
    </>
  );
};

const NotReached = ({ log }: LogProps) => {
  const texts = useTexts().notifications.log;
  const format = useFormat();
  const failed = notReached(log);
  return failed.length === 0 ? null : (
    <Notice tone="warn">
      {failed.map(({ id, channel, to, sentAt }) => (
        <p key={id}>{texts.notReached(nameOf(texts.channels, channel), to ?? missing, format.date(sentAt))}</p>
      ))}
      <p>
        <PageLink page="/account">{texts.checkAddress}</PageLink>
      </p>
    </Notice>
  );
};
