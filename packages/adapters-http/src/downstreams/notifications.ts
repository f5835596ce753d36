import { type Notifications, toJson } from '@portico/core';
import { downstream, type DownstreamSettings } from './downstream.ts';

/** The notifications service over HTTP. */
export const httpNotifications = (settings: DownstreamSettings<'notifications'>): Notifications => {
  const notifications = downstream('notifications', settings);
  return {
    preferences: (member) => notifications.get('preferences', member),
    ownPreferences: (member) => notifications.get('ownPreferences', member),
    replacePreferences: (member, preferences, ifMatch) =>
      notifications.send('PUT', 'replacePreferences', member, { body: toJson(preferences), ifMatch }),
    list: (member, query) => notifications.get('list', member, { query }),
    log: (member, query) => notifications.get('log', member, { query }),
  };
};
