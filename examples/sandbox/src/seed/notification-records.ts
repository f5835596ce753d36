export type SeedNotification = {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly category: 'claims' | 'billing' | 'enrollment' | 'general';
  readonly severity: 'info' | 'success' | 'warning';
  readonly createdAt: string;
  readonly read: boolean;
};

/** A message that was sent. `to` is masked: more people can read a log than a mailbox. */
export type SeedLogEntry = {
  readonly id: string;
  readonly channel: 'email' | 'sms' | 'push';
  readonly template: string;
  readonly to: string;
  readonly status: 'delivered' | 'sent' | 'bounced';
  readonly sentAt: string;
};

export type SeedPreferences = {
  readonly email: boolean;
  readonly sms: boolean;
  readonly push: boolean;
  readonly claimsUpdates: boolean;
  readonly billingAlerts: boolean;
  readonly enrollmentReminders: boolean;
};

export const preferencesOfA: SeedPreferences = {
  email: true,
  sms: true,
  push: false,
  claimsUpdates: true,
  billingAlerts: true,
  enrollmentReminders: false,
};

export const preferencesOfB: SeedPreferences = {
  email: true,
  sms: false,
  push: true,
  claimsUpdates: true,
  billingAlerts: false,
  enrollmentReminders: true,
};

/** Newest first, as in the feed and the log. */
export const notificationsOfA: readonly SeedNotification[] = [
  {
    id: 'NTF-1001-4',
    title: 'We are reviewing your claim',
    body: 'Claim CLM-1001-06 from Example Orthopedic Group is in review. Most reviews end within ten days.',
    category: 'claims',
    severity: 'info',
    createdAt: '2026-06-23T13:05:00.000Z',
    read: false,
  },
  {
    id: 'NTF-1001-3',
    title: 'A claim was denied',
    body: 'Claim CLM-1001-05 was denied because no prior authorization is on file. You owe nothing and may appeal.',
    category: 'claims',
    severity: 'warning',
    createdAt: '2026-05-19T16:40:00.000Z',
    read: false,
  },
  {
    id: 'NTF-1001-2',
    title: 'You have met your deductible',
    body: 'Your individual in-network deductible for 2026 is met. Your plan now shares the cost of covered care.',
    category: 'general',
    severity: 'success',
    createdAt: '2026-03-20T17:12:00.000Z',
    read: true,
  },
  {
    id: 'NTF-1001-1',
    title: 'Your ID card is ready',
    body: 'Your 2026 ID card is in your documents.',
    category: 'enrollment',
    severity: 'info',
    createdAt: '2026-01-02T12:00:00.000Z',
    read: true,
  },
];

export const notificationsOfB: readonly SeedNotification[] = [
  {
    id: 'NTF-1002-2',
    title: 'We received your claim',
    body: 'Claim CLM-1002-03 from Sample Family Practice has arrived.',
    category: 'claims',
    severity: 'info',
    createdAt: '2026-07-01T10:15:00.000Z',
    read: false,
  },
  {
    id: 'NTF-1002-1',
    title: 'Your explanation of benefits is ready',
    body: 'See how claim CLM-1002-02 from Sample General Hospital was paid.',
    category: 'claims',
    severity: 'info',
    createdAt: '2026-05-08T11:20:00.000Z',
    read: true,
  },
];

export const notificationsOfC: readonly SeedNotification[] = [
  {
    id: 'NTF-1003-1',
    title: 'Choose how we reach you',
    body: 'You have not set your notification preferences. It takes a minute on your account page.',
    category: 'general',
    severity: 'info',
    createdAt: '2026-01-06T09:00:00.000Z',
    read: false,
  },
];

export const logOfA: readonly SeedLogEntry[] = [
  entry('LOG-1001-4', 'email', 'claim-in-review', 'm***a@example.com', 'delivered', '2026-06-23T13:05:04.000Z'),
  entry('LOG-1001-3', 'sms', 'claim-denied', '***-***-0101', 'delivered', '2026-05-19T16:40:03.000Z'),
  entry('LOG-1001-2', 'email', 'claim-denied', 'm***a@example.com', 'delivered', '2026-05-19T16:40:02.000Z'),
  entry('LOG-1001-1', 'email', 'deductible-met', 'm***a@example.com', 'bounced', '2026-03-20T17:12:05.000Z'),
];

export const logOfB: readonly SeedLogEntry[] = [
  entry('LOG-1002-2', 'push', 'claim-received', 'device ***7f', 'sent', '2026-07-01T10:15:01.000Z'),
  entry('LOG-1002-1', 'email', 'eob-ready', 'm***b@example.com', 'delivered', '2026-05-08T11:20:06.000Z'),
];

function entry(
  id: string,
  channel: SeedLogEntry['channel'],
  template: string,
  to: string,
  status: SeedLogEntry['status'],
  sentAt: string,
): SeedLogEntry {
  return { id, channel, template, to, status, sentAt };
}
