import { Icon } from '../design/icon.tsx';
import { useTexts } from '../texts/texts.tsx';
import { countUnread, useNotifications } from './notifications.ts';
import { useReadKeys } from './read-state.ts';
import './bell.css';

/** The content of the link to the notifications: a bell with the number of those that are unread. */
export const Bell = () => {
  const texts = useTexts().app;
  const unread = countUnread(useNotifications().data, useReadKeys());
  return (
    <>
      <Icon icon="bell" />
      <span className="visually-hidden">{texts.unread(unread)}</span>
      {unread === 0 ? null : (
        <span className="bell-count" aria-hidden="true">
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </>
  );
};
