/** Examples of the OpenAPI document, equal to what the sandbox returns for `member-a` (e2e/documentation/openapi.test.ts). Lists are shortened. */

export const preferences = {
  email: true,
  sms: true,
  push: false,
  claimsUpdates: true,
  billingAlerts: true,
  enrollmentReminders: false,
};

export const changedPreferences = {
  email: true,
  sms: false,
  push: true,
  claimsUpdates: true,
  billingAlerts: true,
  enrollmentReminders: false,
};

export const notificationList = {
  notifications: [
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
  ],
};

export const notificationLog = {
  log: [
    {
      id: 'LOG-1001-4',
      channel: 'email',
      template: 'claim-in-review',
      to: 'm***a@example.com',
      status: 'delivered',
      sentAt: '2026-06-23T13:05:04.000Z',
    },
    {
      id: 'LOG-1001-3',
      channel: 'sms',
      template: 'claim-denied',
      to: '***-***-0101',
      status: 'delivered',
      sentAt: '2026-05-19T16:40:03.000Z',
    },
  ],
};
