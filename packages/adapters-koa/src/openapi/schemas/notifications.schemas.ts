import { preferenceNames } from '@portico/core';
import type { Schema } from '../format.ts';
import { closed, code, flag, instant, list, object, text } from './schema-words.ts';

const meaning = {
  email: 'Send mail.',
  sms: 'Send text messages.',
  push: 'Send to the member’s devices.',
  claimsUpdates: 'About claims.',
  billingAlerts: 'About bills.',
  enrollmentReminders: 'About enrollment.',
} as const satisfies Readonly<Record<(typeof preferenceNames)[number], string>>;

const wishes = Object.fromEntries(preferenceNames.map((name) => [name, flag(meaning[name])]));

export const notificationsSchemas: Readonly<Record<string, Schema>> = {
  Preferences: closed(
    'How and about what the member wants to be told: all six, because a PUT replaces and a missing one would be a silent reset.',
    wishes,
  ),
  StoredPreferences: object(
    'The six as the notification service keeps them; it may say more beside them.',
    wishes,
    ...preferenceNames,
  ),
  NotificationList: object(
    'What the member was told, newest first.',
    { notifications: list({ $ref: '#/components/schemas/Notification' }, 'For the banner.') },
    'notifications',
  ),
  Notification: object(
    'One notification. Recommended: FHIR R4 Communication. Only `id` is relied on: it is what tells one from another.',
    {
      id: text('FHIR `Communication.identifier`.', 'NTF-1001-1'),
      title: text('FHIR `Communication.topic`.'),
      body: text('FHIR `Communication.payload`.'),
      category: text('FHIR `Communication.category`.', 'claims', 'billing', 'enrollment', 'general'),
      severity: text('How it is shown.', 'info', 'success', 'warning'),
      createdAt: instant('FHIR `Communication.sent`.'),
      read: flag('Whether the member has seen it. FHIR `Communication.received`.'),
    },
    'id',
  ),
  NotificationLog: object(
    'Which messages left the house, newest first.',
    {
      log: list(
        object('One message.', {
          id: text('The log’s own.', 'LOG-1001-1'),
          channel: code('By which way. FHIR `Communication.medium`.', 'email', 'sms', 'push'),
          template: text('Of what kind.', 'claim-denied'),
          to: text('Where to, masked.', 'm***a@example.com'),
          status: text('What became of it. FHIR `Communication.status`.', 'sent', 'delivered', 'bounced'),
          sentAt: instant('FHIR `Communication.sent`.'),
        }),
        'One for each channel of a message.',
      ),
    },
    'log',
  ),
};
