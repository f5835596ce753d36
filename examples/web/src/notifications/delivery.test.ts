import { expect, it } from 'vitest';
import { notReached, sentLatestFirst, toneOf } from './delivery.ts';

const first = { id: '1', channel: 'email', to: 'm***a@example.com', status: 'bounced', sentAt: '2026-03-01T00:00:00Z' };
const later = { ...first, id: '2', status: 'delivered', sentAt: '2026-04-01T00:00:00Z' };
const sms = { id: '3', channel: 'sms', to: '***-0101', status: 'failed', sentAt: '2026-02-01T00:00:00Z' };

it('the list of sent messages shows the latest one first', () => {
  expect(sentLatestFirst([first, sms, later]).map(({ id }) => id)).toEqual(['2', '1', '3']);
});

it('a recipient is reported only if the latest message did not arrive', () => {
  expect(notReached([first, sms])).toEqual([first, sms]);
  expect(notReached([first, sms, later])).toEqual([sms]);
  expect(notReached([])).toEqual([]);
});

it('a delivery status that is not known has a neutral tone', () => {
  expect([toneOf('delivered'), toneOf('opened'), toneOf(undefined)]).toEqual(['good', 'neutral', 'neutral']);
});
