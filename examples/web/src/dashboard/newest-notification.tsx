import { type RefObject, useState } from 'react';
import { useResource } from '../api/context.ts';
import type { Notification } from '../api/resources.ts';
import { PageLink } from '../app/page-link.tsx';
import { Button } from '../design/button.tsx';
import { ResourceContent } from '../design/card.tsx';
import { Icon, type IconName } from '../design/icon.tsx';
import { useFormat, useTexts } from '../texts/texts.tsx';

const dismissedKey = 'portico:dismissed';

interface Notifications {
  readonly notifications?: readonly Notification[];
}

/** The newest notification. Dismissing it hides it until the next visit and keeps the focus on the page. */
export const NewestNotification = ({ focusAfter }: { readonly focusAfter: RefObject<HTMLElement | null> }) => {
  const texts = useTexts().dashboard.notification;
  const resource = useResource<Notifications>('notifications', (portico, signal) =>
    portico.listNotifications([], signal),
  );
  const [dismissed, setDismissed] = useState(() => window.sessionStorage.getItem(dismissedKey));
  const dismiss = (id: string) => {
    window.sessionStorage.setItem(dismissedKey, id);
    setDismissed(id);
    focusAfter.current?.focus();
  };
  return (
    // Without a space for a banner that was dismissed.
    <div className="banner-place" aria-busy={resource.isPending && dismissed === null}>
      <ResourceContent title={texts.title} resource={resource} empty={<p className="empty">{texts.none}</p>}>
        {({ notifications = [] }) => {
          const newest = newestOf(notifications);
          return newest && newest.id !== dismissed ? (
            <Newest notification={newest} onDismiss={() => dismiss(newest.id)} />
          ) : undefined;
        }}
      </ResourceContent>
    </div>
  );
};

const newestOf = (notifications: readonly Notification[]): Notification | undefined =>
  notifications.toSorted((one, other) => ((one.createdAt ?? '') < (other.createdAt ?? '') ? 1 : -1))[0];

interface NewestProps {
  readonly notification: Notification;
  readonly onDismiss: () => void;
}

const icons: Readonly<Record<string, IconName>> = { warning: 'warning', success: 'success' };

const Newest = ({ notification: { title, body, severity = 'info', createdAt }, onDismiss }: NewestProps) => {
  const texts = useTexts().dashboard.notification;
  const format = useFormat();
  return (
    <aside className={`banner ${severity}`} aria-label={texts.newest}>
      <Icon name={icons[severity] ?? 'bell'} />
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
