import { httpDefaults } from '@portico/adapters-http';
import { clientDefaults } from '@portico/client';
import { maxPageBytes, searchDefaults } from '@portico/core';
import { expect, it } from 'vitest';

it('the client waits twice as long as Portico for a service, and three times as long for a search', () => {
  expect(clientDefaults.timeoutMs).toBe(2 * httpDefaults.timeoutMs);
  expect(clientDefaults.searchTimeoutMs).toBe(3 * searchDefaults.timeoutMs);
});

it('a page has at most as many bytes as one response of a service', () => {
  expect(maxPageBytes).toBe(httpDefaults.maxResponseBytes);
});
