import type { NotificationLog } from '@portico/client';
import { useRef } from 'react';
import { useResource } from '../api/context.ts';
import type { Notification } from '../api/resources.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { pageIconPaths } from '../design/data/page-icon-paths.ts';
import { Icon } from '../design/icon.tsx';
import { PageHeading } from '../design/page-heading.tsx';
import { Tag } from '../design/tag.tsx';
import { useToast } from '../design/toast.tsx';
import { nameOf, useFormat, useTexts } from '../texts/texts.tsx';
import { LogCard } from './log-card.tsx';
import { iconOf, isUnread, latestFirst, readKeyOf, useNotifications } from './notifications.ts';
import { markRead, useReadKeys } from './read-state.ts';
import './notifications-page.css';

/** All notifications, and the messages that were sent for them. */
export const NotificationsPage = () => {
  const texts = useTexts().notifications;
  const resource = useNotifications();
  const log = useResource<NotificationLog>('notification-log', (portico, signal) =>
    portico.readNotificationLog([], signal),
  );
  return (
    <>
      <PageHeading title={texts.title} lead={texts.lead} />
      <Card title={texts.list} icon="bell" className="all-notifications" resource={resource} empty={texts.none}>
        {({ notifications = [] }) =>
          notifications.length === 0 ? undefined : <Notifications notifications={latestFirst(notifications)} />
        }
      </Card>
      {/* Below a list of any length, so that it does not move. */}
      {resource.isPending ? null : <LogCard log={log} />}
    </>
  );
};

const Notifications = ({ notifications }: { readonly notifications: readonly Notification[] }) => {
  const texts = useTexts().notifications;
  const showToast = useToast();
  const readKeys = useReadKeys();
  const unread = notifications.filter((one) => isUnread(one, readKeys));
  const markAll = () => {
    markRead(unread.map(readKeyOf));
    showToast(texts.allRead);
  };
  return (
    <>
      <div className="actions">
        {/* Not `disabled`, which would lose the focus after a click. */}
        <Button look="quiet" aria-disabled={unread.length === 0} onClick={unread.length === 0 ? undefined : markAll}>
          <Icon icon={pageIconPaths.check} />
          {texts.markAllRead}
        </Button>
      </div>
      <ul className="rows">
        {notifications.map((notification) => (
          <Row key={notification.id} notification={notification} isNew={unread.includes(notification)} />
        ))}
      </ul>
      <p className="fine">{texts.onlyHere}</p>
    </>
  );
};

interface RowProps {
  readonly notification: Notification;
  readonly isNew: boolean;
}

const Row = ({ notification, isNew }: RowProps) => {
  const { title, body, category, severity = 'info', createdAt } = notification;
  const texts = useTexts().notifications;
  const format = useFormat();
  const heading = useRef<HTMLHeadingElement>(null);
  const read = () => {
    // Before the button is removed.
    heading.current?.focus();
    markRead([readKeyOf(notification)]);
  };
  return (
    <li>
      <div className={`notification ${severity}`}>
        <Icon icon={iconOf(notification)} />
        <div>
          <h3 ref={heading} tabIndex={-1}>
            {title}{' '}
            {isNew ? (
              <Tag tone="info" icon={null}>
                {texts.new}
              </Tag>
            ) : null}
          </h3>
          <p>{body}</p>
          <p className="fine">
            {format.date(createdAt)}
            {category === undefined ? null : ` · ${nameOf(texts.categories, category)}`}
          </p>
        </div>
      </div>
      {isNew ? (
        <Button look="plain" onClick={read}>
          {texts.markRead}
          <span className="visually-hidden">: {title}</span>
        </Button>
      ) : null}
    </li>
  );
};
