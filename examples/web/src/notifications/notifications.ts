import { useResource } from '../api/context.ts';
import { newestFirst } from '../api/newest-first.ts';
import type { Notification } from '../api/resources.ts';
import type { IconName } from '../design/icon.tsx';

interface NotificationList {
  readonly notifications?: readonly Notification[];
}

/** The notifications of the member. */
export const useNotifications = () =>
  useResource<NotificationList>('notifications', (portico, signal) => portico.listNotifications([], signal));

export const latestFirst = (notifications: readonly Notification[]): readonly Notification[] =>
  newestFirst(notifications, ({ createdAt }) => createdAt);

const icons: ReadonlyMap<string | undefined, IconName> = new Map([
  ['warning', 'warning'],
  ['success', 'success'],
]);

export const iconOf = ({ severity }: Notification): IconName => icons.get(severity) ?? 'bell';

/** Identifies a notification in this browser, which members may share: ids may be unique only within one member. */
export const readKeyOf = ({ id, createdAt = '' }: Notification): string => `${id} ${createdAt}`;

/** A notification is read if it was read in this browser, or if the service reports it as read. */
export const isUnread = (notification: Notification, readKeys: ReadonlySet<string>): boolean =>
  notification.read !== true && !readKeys.has(readKeyOf(notification));

/** How many notifications are unread. The header is on every page, so this accepts a response of any shape. */
export const countUnread = (response: unknown, readKeys: ReadonlySet<string>): number => {
  const { notifications } = (response ?? {}) as NotificationList;
  if (!Array.isArray(notifications)) return 0;
  return notifications.filter(
    (one: Partial<Notification> | null) => typeof one?.id === 'string' && isUnread(one as Notification, readKeys),
  ).length;
};
