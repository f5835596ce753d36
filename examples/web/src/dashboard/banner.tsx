import { type RefObject, useState } from 'react';
import { useResource } from '../api/context.ts';
import type { Notification } from '../api/resources.ts';
import { Button } from '../ui/button.tsx';
import { readableDate } from '../ui/format.ts';

const dismissedKey = 'portico:dismissed';

/** The newest notification. Dismissing it hides it until the next visit and keeps the focus on the page. */
export const Banner = ({ focusAfter }: { readonly focusAfter: RefObject<HTMLElement | null> }) => {
  const { data } = useResource<{ readonly notifications?: readonly Notification[] }>(
    'notifications',
    (portico, signal) => portico.listNotifications([], signal),
  );
  const [dismissed, setDismissed] = useState(() => window.sessionStorage.getItem(dismissedKey));
  const newest = data?.notifications?.toSorted((one, other) =>
    (one.createdAt ?? '') < (other.createdAt ?? '') ? 1 : -1,
  )[0];
  if (!newest || newest.id === dismissed) return null;
  const dismiss = () => {
    window.sessionStorage.setItem(dismissedKey, newest.id);
    setDismissed(newest.id);
    focusAfter.current?.focus();
  };
  return (
    <aside className={`banner ${newest.severity ?? 'info'}`} aria-label="Newest notification">
      <div>
        <h2>{newest.title}</h2>
        <p>{newest.body}</p>
        <p className="fine">{readableDate(newest.createdAt)}</p>
      </div>
      <Button look="quiet" onClick={dismiss}>
        Dismiss
      </Button>
    </aside>
  );
};
