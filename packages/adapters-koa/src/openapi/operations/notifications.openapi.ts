import {
  changedPreferences,
  notificationList,
  notificationLog,
  preferences,
} from '../examples/notifications.examples.ts';
import { body, otherResponses, relayed } from '../responses.ts';
import { memberOperations } from '../operation-builders.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch, listParameters, useIfMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems } from '../problems.ts';
import { schemaOf } from '../schemas/schema-builders.ts';

export const notificationsOperations = memberOperations('notifications', {
  getPreferences: {
    summary: 'Get notification preferences',
    description: 'Returns the channels and topics that the member has chosen.',
    responses: {
      200: relayed('StoredPreferences', 'The preferences, as returned by the notification service.', {
        example: preferences,
        headers: headerRefs('ETag.strong'),
      }),
      ...otherResponses('preferences-not-set'),
    },
  },
  putPreferences: {
    summary: 'Replace notification preferences',
    description: `Replaces all six preferences of the member. ${useIfMatch}`,
    parameters: [ifMatch],
    requestBody: body('All six preferences and no other field, each true or false.', {
      schema: schemaOf('Preferences'),
      example: changedPreferences,
    }),
    responses: {
      200: relayed('StoredPreferences', 'The updated preferences.', { example: changedPreferences }),
      ...otherResponses('preferences-not-set'),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
  listNotifications: {
    summary: 'List notifications',
    description: 'Returns the notifications of the member. The notification service applies the query parameters.',
    parameters: listParameters,
    responses: {
      200: relayed('NotificationList', 'The member’s notifications, as returned by the notification service.', {
        example: notificationList,
      }),
      ...otherResponses(),
    },
  },
  readNotificationLog: {
    summary: 'List delivery log entries',
    description:
      'Returns the messages that were sent to the member. The notification service applies the query parameters.',
    parameters: listParameters,
    responses: {
      200: relayed('NotificationLog', 'The delivery log, as returned by the notification service.', {
        example: notificationLog,
      }),
      ...otherResponses(),
    },
  },
});
