import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '@portico/demo/ports';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** The request of the dashboard. */
const memberPage = /\/me\?include=/;

/** Whether an event of `GET /me` is this part. */
const isPart = (event: string, name: string): boolean => event.includes(`data: {"name":${JSON.stringify(name)}`);

/** The requests of these resources by their own routes, which the header of the pages may send. */
const ownRoutes = (names: readonly string[]): RegExp => new RegExp(`/me/(${names.join('|')})(\\?|$)`);

/** Replaces a resource of the dashboard. */
export const replacePart = async (page: Page, name: string, body: unknown): Promise<void> => {
  await page.route(ownRoutes([name]), (route) => route.fulfill({ json: body }));
  await page.route(memberPage, async (route) => {
    const response = await route.fetch();
    const part = `event: part\ndata: ${JSON.stringify({ name, status: 200, body })}`;
    const events = (await response.text()).split('\n\n').map((event) => (isPart(event, name) ? part : event));
    await route.fulfill({ response, body: events.join('\n\n') });
  });
};

/** Holds these resources of the dashboard until they are released. The others arrive as usual. */
export const holdParts = async (
  page: Page,
  portico: string,
  names: readonly string[],
): Promise<{ release(): void }> => {
  const released = Promise.withResolvers<void>();
  const forward = async ({ url, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { cookie = '', accept = '' } = headers;
    const received = await fetch(portico + url, { headers: { cookie, accept } });
    response.writeHead(received.status, { 'content-type': received.headers.get('content-type')! });
    const held: string[] = [];
    let rest = '';
    for await (const text of received.body!.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split('\n\n');
      rest = events.pop()!;
      for (const event of events)
        if (event.includes('event: done') || names.some((name) => isPart(event, name))) held.push(event);
        else response.write(`${event}\n\n`);
    }
    await released.promise;
    response.end(`${held.join('\n\n')}\n\n`);
  };
  // The interception of Playwright cannot send a response in parts.
  const server = await listening(createServer((request, response) => void forward(request, response)));
  onTestFinished(() => {
    released.resolve();
    server.close();
  });
  await page.route(ownRoutes(names), async (route) => {
    await released.promise;
    await route.continue();
  });
  await page.route(memberPage, (route) => {
    const { pathname, search } = new URL(route.request().url());
    return route.continue({ url: server.url + pathname + search });
  });
  return { release: released.resolve };
};
