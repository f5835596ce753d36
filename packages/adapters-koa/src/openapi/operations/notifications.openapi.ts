import { bearer, body, noContent, relayed, schemaOf } from '../responses.ts';
import type { Operation } from '../format.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch, listParameters } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const notificationsOperations = {
  getPreferences: {
    operationId: 'getPreferences',
    tags: ['notifications'],
    summary: 'Get notification preferences',
    security: bearer,
    responses: {
      200: relayed(
        'StoredPreferences',
        'The preferences, as returned by the notification service.',
        headerRefs('ETag.strong'),
      ),
      204: noContent,
      ...memberProblems('preferences-not-set'),
    },
  },
  putPreferences: {
    operationId: 'putPreferences',
    tags: ['notifications'],
    summary: 'Replace notification preferences',
    security: bearer,
    parameters: [ifMatch],
    requestBody: body('All six preferences and no other field, each true or false.', {
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
      200: relayed('StoredPreferences', 'The updated preferences.'),
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
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('NotificationList', 'The member’s notifications, as returned by the notification service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
  readNotificationLog: {
    operationId: 'readNotificationLog',
    tags: ['notifications'],
    summary: 'List delivery log entries',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('NotificationLog', 'The delivery log, as returned by the notification service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
