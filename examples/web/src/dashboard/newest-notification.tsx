import { type RefObject, useState } from 'react';
import type { Notification } from '../api/resources.ts';
import { PageLink } from '../frame/page-link.tsx';
import { Button } from '../design/button.tsx';
import { ResourceContent } from '../design/card.tsx';
import { Icon } from '../design/icon.tsx';
import { iconOf, isUnread, latestFirst, readKeyOf, useNotifications } from '../notifications/notifications.ts';
import { markRead, useReadKeys } from '../notifications/read-state.ts';
import { useFormat, useTexts } from '../texts/texts.tsx';

/** Set when the last notification was dismissed, so that the next visit to the dashboard keeps no space for one. */
const allReadKey = 'portico:all-read';

/** The newest unread notification. Dismissing it marks it as read, and shows the next one. */
export const NewestNotification = ({ focusAfter }: { readonly focusAfter: RefObject<HTMLElement | null> }) => {
  const texts = useTexts().dashboard.notification;
  const resource = useNotifications();
  const readKeys = useReadKeys();
  const [wasAllRead] = useState(() => window.sessionStorage.getItem(allReadKey) !== null);
  return (
    <div className="banner-place place" aria-busy={resource.isPending && !wasAllRead}>
      <h2>{texts.title}</h2>
      <ResourceContent title={texts.title} resource={resource} empty={<AllRead />}>
        {({ notifications = [] }) => {
          const [newest, ...others] = latestFirst(notifications.filter((one) => isUnread(one, readKeys)));
          const dismiss = (notification: Notification) => {
            markRead([readKeyOf(notification)]);
            // Otherwise the button keeps the focus.
            if (others.length > 0) return;
            window.sessionStorage.setItem(allReadKey, '');
            focusAfter.current?.focus();
          };
          return newest ? <Newest notification={newest} onDismiss={() => dismiss(newest)} /> : undefined;
        }}
      </ResourceContent>
    </div>
  );
};

const AllRead = () => {
  const texts = useTexts().dashboard.notification;
  return (
    <p className="empty">
      {texts.none} <PageLink page="/notifications">{texts.all}</PageLink>
    </p>
  );
};

interface NewestProps {
  readonly notification: Notification;
  readonly onDismiss: () => void;
}

const Newest = ({ notification, onDismiss }: NewestProps) => {
  const { title, body, severity = 'info', createdAt } = notification;
  const texts = useTexts().dashboard.notification;
  const format = useFormat();
  return (
    // Screen readers read the next one after "Dismiss".
    <aside className={`banner ${severity}`} aria-label={texts.newest} aria-live="polite">
      <Icon icon={iconOf(notification)} />
      <div>
        <h2>{title}</h2>
        <p>{body}</p>
        <p className="fine">
          {format.date(createdAt)} <PageLink page="/notifications">{texts.all}</PageLink>
        </p>
      </div>
      <Button look="quiet" onClick={onDismiss}>
        {texts.dismiss}
      </Button>
    </aside>
  );
};
