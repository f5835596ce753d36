import { bearer, body, noContent, relayed, schemaOf } from '../answers.ts';
import type { Operation } from '../format.ts';
import { sent } from '../headers.ts';
import { ifMatch, listParameters } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const notificationsOperations = {
  getPreferences: {
    operationId: 'getPreferences',
    tags: ['notifications'],
    summary: 'How the member wants to be told',
    security: bearer,
    responses: {
      200: relayed('StoredPreferences', 'The preferences, from the notification service.', sent('ETag.strong')),
      204: noContent,
      ...memberProblems('preferences-not-set'),
    },
  },
  putPreferences: {
    operationId: 'putPreferences',
    tags: ['notifications'],
    summary: 'Set all six preferences',
    security: bearer,
    parameters: [ifMatch],
    requestBody: body('All six and nothing else, each true or false.', {
      schema: schemaOf('Preferences'),
      example: {
        email: true,
        sms: false,
        push: true,
        claimsUpdates: true,
        billingAlerts: true,
        enrollmentReminders: false,
      },
    }),
    responses: {
      200: relayed('StoredPreferences', 'The preferences as they are now.'),
      204: noContent,
      ...memberProblems('preferences-not-set'),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
  listNotifications: {
    operationId: 'listNotifications',
    tags: ['notifications'],
    summary: 'What the member was told',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('NotificationList', 'The notifications, from the notification service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
  readNotificationLog: {
    operationId: 'readNotificationLog',
    tags: ['notifications'],
    summary: 'Which messages left the house',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('NotificationLog', 'The log, from the notification service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
