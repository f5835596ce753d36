import {
  changedPreferences,
  notificationList,
  notificationLog,
  preferences,
} from '../examples/notifications.examples.ts';
import { bearer, body, noContent, relayed, schemaOf } from '../responses.ts';
import type { Operation } from '../format.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch, listParameters, useIfMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const notificationsOperations = {
  getPreferences: {
    operationId: 'getPreferences',
    tags: ['notifications'],
    summary: 'Get notification preferences',
    description: 'Returns the channels and topics that the member has chosen.',
    security: bearer,
    responses: {
      200: relayed('StoredPreferences', 'The preferences, as returned by the notification service.', {
        example: preferences,
        headers: headerRefs('ETag.strong'),
      }),
      204: noContent,
      ...memberProblems('preferences-not-set'),
    },
  },
  putPreferences: {
    operationId: 'putPreferences',
    tags: ['notifications'],
    summary: 'Replace notification preferences',
    description: `Replaces all six preferences of the member. ${useIfMatch}`,
    security: bearer,
    parameters: [ifMatch],
    requestBody: body('All six preferences and no other field, each true or false.', {
      schema: schemaOf('Preferences'),
      example: changedPreferences,
    }),
    responses: {
      200: relayed('StoredPreferences', 'The updated preferences.', { example: changedPreferences }),
      204: noContent,
      ...memberProblems('preferences-not-set'),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
  listNotifications: {
    operationId: 'listNotifications',
    tags: ['notifications'],
    summary: 'List notifications',
    description: 'Returns the notifications of the member. The notification service applies the query parameters.',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('NotificationList', 'The member’s notifications, as returned by the notification service.', {
        example: notificationList,
      }),
      204: noContent,
      ...memberProblems(),
    },
  },
  readNotificationLog: {
    operationId: 'readNotificationLog',
    tags: ['notifications'],
    summary: 'List delivery log entries',
    description:
      'Returns the messages that were sent to the member. The notification service applies the query parameters.',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('NotificationLog', 'The delivery log, as returned by the notification service.', {
        example: notificationLog,
      }),
      204: noContent,
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
