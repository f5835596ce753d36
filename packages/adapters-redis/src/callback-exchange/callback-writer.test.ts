import { err, ok, type Result } from 'neverthrow';
import { expect, it } from 'vitest';
import { CallbackWriter } from './callback-writer.ts';
import type { ConnectionHealth } from './connection-health.ts';
import { offeredCallback } from './offered-callback.ts';
import type { StoreOutcome } from './store-callback.ts';

const text = 'x'.repeat(5 * 1024 * 1024);
const large = (transactionId: string) => ({ ...offeredCallback(transactionId, '', {}), text });

/** A writer to a Redis that never replies. `timeOut` ends the wait for the replies. */
const writerWithoutReplies = () => {
  const sent: string[] = [];
  const timedOut = Promise.withResolvers<Result<never, 'timeout'>>();
  const health = { isHealthy: true, isConnected: true, within: () => timedOut.promise };
  const writer = new CallbackWriter(health as unknown as ConnectionHealth, ({ transactionId }) => {
    sent.push(transactionId);
    return new Promise<StoreOutcome>(() => {});
  });
  const timeOut = () => {
    health.isHealthy = false;
    timedOut.resolve(err('timeout'));
  };
  return { sent, writer, timeOut };
};

it('a large callback that waits for another one is refused when that one gets no reply in time', async () => {
  const { sent, writer, timeOut } = writerWithoutReplies();
  const writes = ['first', 'second', 'third'].map((id) => writer.writeInTurn(large(id)));
  timeOut();
  expect(await Promise.all(writes)).toEqual([err('timeout'), err('timeout'), err('timeout')]);
  expect(sent).toEqual(['first']);
});

it('a large callback is sent when the one before it has its reply', async () => {
  const replies: ((outcome: StoreOutcome) => void)[] = [];
  const health = {
    isHealthy: true,
    isConnected: true,
    within: async (reply: Promise<StoreOutcome>) => ok(await reply),
  };
  const writer = new CallbackWriter(
    health as unknown as ConnectionHealth,
    () => new Promise((resolve) => replies.push(resolve)),
  );
  const [first, second] = [writer.writeInTurn(large('first')), writer.writeInTurn(large('second'))];
  expect(replies.length).toBe(1);
  replies[0]!('delivered');
  expect(await first).toEqual(ok('delivered'));
  await expect.poll(() => replies.length).toBe(2);
  replies[1]!('unknown');
  expect(await second).toEqual(ok('unknown'));
});
