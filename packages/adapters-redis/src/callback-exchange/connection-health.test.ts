import { EventEmitter } from 'node:events';
import { fakeClock } from '@portico/core/testing';
import { expect, it } from 'vitest';
import type { RedisClient } from '../client.ts';
import { ConnectionHealth } from './connection-health.ts';

/** A client whose commands get no reply, and the number of its connections that were begun. */
const silentClient = () => {
  const events = new EventEmitter();
  const client = {
    isOpen: true,
    isReady: true,
    begun: 0,
    on: events.on.bind(events),
    destroy: () => {
      client.isReady = false;
    },
    connect: async () => {
      client.begun++;
    },
    connected: () => {
      client.isReady = true;
      events.emit('ready');
    },
  };
  return client;
};

const noReply = () => new Promise(() => {});

it('ConnectionHealth replaces a silent connection once, and leaves the attempts after it to the client', async () => {
  const clock = fakeClock();
  const client = silentClient();
  const health = new ConnectionHealth({
    client: client as unknown as RedisClient,
    clock,
    commandTimeoutMs: 100,
    subscribe: noReply,
    write: noReply,
    onWritable: () => {},
  });
  const pass = async (seconds: number) => {
    for (let ms = 0; ms < seconds * 1000; ms += 25) {
      clock.advance(25);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  };
  client.connected();
  await pass(60);
  expect(client.begun).toBe(1);
  client.connected();
  await pass(60);
  expect(client.begun).toBe(2);
  health.close();
});
