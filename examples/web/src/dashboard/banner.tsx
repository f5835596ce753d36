import { type RefObject, useState } from 'react';
import { useResource } from '../api/context.ts';
import type { Notification } from '../api/resources.ts';
import { Button } from '../ui/button.tsx';
import { ResourceContent } from '../ui/card.tsx';
import { readableDate } from '../ui/format.ts';

const dismissedKey = 'portico:dismissed';

interface Notifications {
  readonly notifications?: readonly Notification[];
}

/** The newest notification. Dismissing it hides it until the next visit and keeps the focus on the page. */
export const Banner = ({ focusAfter }: { readonly focusAfter: RefObject<HTMLElement | null> }) => {
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
      <ResourceContent
        title="Notifications"
        resource={resource}
        empty={<p className="empty">You have no new notifications.</p>}
      >
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

const Newest = ({ notification: { title, body, severity = 'info', createdAt }, onDismiss }: NewestProps) => (
  <aside className={`banner ${severity}`} aria-label="Newest notification">
    <div>
      <h2>{title}</h2>
      <p>{body}</p>
      <p className="fine">{readableDate(createdAt)}</p>
    </div>
    <Button look="quiet" onClick={onDismiss}>
      Dismiss
    </Button>
  </aside>
);
