import { preferenceNames } from '@portico/core';
import type { Schema } from '../format.ts';
import { boolean, closed, code, dateTime, list, object, schemaOf, string } from './schema-builders.ts';

const descriptions = {
  email: 'Send notifications by email.',
  sms: 'Send notifications by text message.',
  push: 'Send push notifications to the member’s devices.',
  claimsUpdates: 'Notify about claims.',
  billingAlerts: 'Notify about bills.',
  enrollmentReminders: 'Notify about enrollment.',
} as const satisfies Readonly<Record<(typeof preferenceNames)[number], string>>;

const preferences = Object.fromEntries(preferenceNames.map((name) => [name, boolean(descriptions[name])]));

export const notificationsSchemas: Readonly<Record<string, Schema>> = {
  Preferences: closed(
    'Notification channels and topics. All six are required, because a PUT replaces them and a missing one would be reset silently.',
    preferences,
  ),
  StoredPreferences: object(
    'The preferences as stored by the notification service. Recommended: these six; the service may add others.',
    preferences,
  ),
  NotificationList: object('The member’s notifications, newest first.', {
    notifications: list(schemaOf('Notification'), 'The notifications.'),
  }),
  Notification: object(
    'A notification. Recommended: FHIR R4 Communication. Portico uses only `id`, which identifies the notification.',
    {
      id: string('Id of the notification. FHIR `Communication.identifier`.', 'NTF-1001-1'),
      title: string('Title of the notification. FHIR `Communication.topic`.'),
      body: string('Text of the notification. FHIR `Communication.payload`.'),
      category: string(
        'Topic of the notification. FHIR `Communication.category`.',
        'claims',
        'billing',
        'enrollment',
        'general',
      ),
      severity: string('How the notification is displayed.', 'info', 'success', 'warning'),
      createdAt: dateTime('Time at which the notification was created. FHIR `Communication.sent`.'),
      read: boolean('Whether the member has seen it. FHIR `Communication.received`.'),
    },
  ),
  NotificationLog: object('The delivery log, newest first.', {
    log: list(
      object('A message.', {
        id: string('The id of the log entry.', 'LOG-1001-1'),
        channel: code('Delivery channel. FHIR `Communication.medium`.', 'email', 'sms', 'push'),
        template: string('Message template.', 'claim-denied'),
        to: string('Recipient, masked.', 'm***a@example.com'),
        status: string('Delivery status. FHIR `Communication.status`.', 'sent', 'delivered', 'bounced'),
        sentAt: dateTime('Time at which the message was sent. FHIR `Communication.sent`.'),
      }),
      'The log entries, one per channel of a message.',
    ),
  }),
};
