import { type Notifications, toJson } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

const paths = {
  preferences: '/preferences/{partyLocator}',
  replacePreferences: '/preferences/{partyLocator}',
  list: '/notifications/list',
  log: '/log/list',
};

/** The notifications service over HTTP. */
export const httpNotifications = (settings: DownstreamSettings<keyof typeof paths>): Notifications => {
  const notifications = downstream('notifications', settings, paths);
  return {
    preferences: (member) => notifications.get('preferences', member),
    replacePreferences: (member, preferences) =>
      notifications.send('PUT', 'replacePreferences', member, toJson(preferences)),
    list: (member, query) => notifications.get('list', member, { query }),
    log: (member, query) => notifications.get('log', member, { query }),
  };
};
