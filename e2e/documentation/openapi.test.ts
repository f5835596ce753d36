import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '@portico/adapters-koa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, expectAccessible, closeBrowser, openBrowser, openTab, type Tab } from '../browser/browser.ts';
import { startEnvironment, type Environment } from '@portico/demo/environment';
import { projectFile } from '../project-file.ts';

let environment: Environment;
let document: OpenApiDocument;

beforeAll(async () => {
  environment = await startEnvironment();
  document = (await (await fetch(`${environment.portico.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(() => environment.close());

type Content = Readonly<Record<'application/json', { readonly example: unknown }>>;

const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
ajv.addKeyword('components');

/** All relayed responses under `/me`: the operation, the status, and the name of the recommended schema. */
const recommended = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody, responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const media = 'content' in response ? response.content?.['application/json'] : undefined;
        const ref = path.startsWith('/me/') ? media?.schema?.$ref : undefined;
        return ref ? [{ method, path, status: Number(status), ref, requestBody, example: media?.example }] : [];
      }),
    ),
  );

/** Validates a body against the recommended schema. */
const differencesFrom = (ref: string, body: unknown): string => {
  const { schemas } = document.components;
  const validate = ajv.compile({ $ref: ref, components: { schemas } });
  return validate(body) ? '' : ajv.errorsText(validate.errors);
};

const locatorsIn = (list: unknown): readonly string[] =>
  Object.values(list as Readonly<Record<string, readonly { readonly locator: string }[]>>)
    .flat()
    .map(({ locator }) => locator);

/** Values that differ each time, or with the ports of the sandbox. */
const volatile = /^(?:transaction_id|message_id|timestamp|elapsed_ms|uptime_s|version|bap_uri|bpp_uri|gateway_url)$/;

/** The part of a response that an example shows: lists are cut to its length, and volatile values are its own. */
const shownPart = (example: unknown, body: unknown, key = ''): unknown => {
  if (volatile.test(key) && typeof body === typeof example) return example;
  if (Array.isArray(example) && Array.isArray(body))
    return body.slice(0, example.length).map((item, index) => shownPart(example[index], item));
  if (typeof example !== 'object' || typeof body !== 'object' || example === null || body === null) return body;
  const values = example as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, shownPart(values[name], value, name)]));
};

// The first tests: the examples show the sandbox before it is changed.
describe('the examples of the OpenAPI document', () => {
  it('the examples of the OpenAPI document are responses of the sandbox to member-a, with shortened lists', async () => {
    const call = await environment.as('member-a');
    const examples = recommended().filter(({ example }) => example !== undefined);
    expect(examples.length).toBe(recommended().length - 1); // the sandbox creates claims immediately: there is no 202
    for (const { method, path, example, requestBody } of examples) {
      const [[type, request] = []] = Object.entries(requestBody?.content ?? {});
      const init = request && { headers: { 'content-type': type! }, body: JSON.stringify(request.example) };
      const target = path.replace('{locator}', 'CLM-1001-01');
      const body: unknown = await (await call(target, { method: method.toUpperCase(), ...init })).json();
      expect([method, path, shownPart(example, body)]).toEqual([method, path, example]);
    }
  });

  it('the examples of the OpenAPI document are responses of the search API and the probes, except for ids, times and URLs', async () => {
    const routes = ['get /health', 'get /api/legs', 'get /livez', 'get /readyz', 'post /api/search'];
    for (const [method, path] of routes.map((route) => route.split(' ') as ['get' | 'post', `/${string}`])) {
      const { requestBody, responses } = document.paths[path]![method]!;
      const { example } = (responses[200] as { readonly content: Content }).content['application/json'];
      const request = requestBody?.content['application/json'];
      const init = request && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request.example),
      };
      const response = await fetch(environment.portico.url + path, { method: method.toUpperCase(), ...init });
      expect([path, shownPart(example, await response.json())]).toEqual([path, example]);
    }
  });
});

describe('the recommended schemas', () => {
  it('exist for all responses that a member can read or change', () => {
    const names = recommended().map(
      ({ method, path, status, ref }) => `${method} ${path} ${status} ${ref.replace('#/components/schemas/', '')}`,
    );
    expect(names).toEqual([
      'get /me/coverage 200 Coverage',
      'get /me/accumulators 200 Accumulators',
      'get /me/claims 200 ClaimList',
      'post /me/claims 201 Claim',
      'post /me/claims 202 Claim',
      'get /me/claims/{locator} 200 Claim',
      'get /me/documents 200 DocumentList',
      'get /me/profile 200 Profile',
      'patch /me/profile 200 Profile',
      'get /me/preferences 200 StoredPreferences',
      'put /me/preferences 200 StoredPreferences',
      'get /me/notifications 200 NotificationList',
      'get /me/notifications/log 200 NotificationLog',
      'get /me/consent 200 ConsentState',
      'put /me/consent 200 ConsentState',
    ]);
  });

  const members = ['member-a', 'member-b', 'member-c'];

  it.each(members)('match all responses of the sandbox for %s', async (username) => {
    const call = await environment.as(username);
    const claims = locatorsIn(await (await call('/me/claims')).json());
    expect(claims.length).toBeGreaterThan(0);
    for (const { path, ref } of recommended().filter(({ method }) => method === 'get'))
      for (const target of path.includes('{') ? claims.map((locator) => path.replace('{locator}', locator)) : [path]) {
        const response = await call(target);
        if (username === 'member-c' && target === '/me/preferences') expect(response.status).toBe(404);
        else expect([target, response.status, differencesFrom(ref, await response.json())]).toEqual([target, 200, '']);
      }
  });

  it.each(members)('match the responses to the documented examples of changes by %s', async (username) => {
    const call = await environment.as(username);
    // The sandbox creates claims immediately: there is no 202.
    for (const { method, path, status, ref, requestBody } of recommended().filter(({ status }) => status !== 202))
      for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
        const change = {
          method: method.toUpperCase(),
          headers: { 'content-type': type },
          body: JSON.stringify(example),
        };
        const response = await call(path, change);
        expect([path, response.status, differencesFrom(ref, await response.json())]).toEqual([path, status, '']);
      }
  });

  it.each([
    ['Coverage', { status: 'lapsed' }],
    ['Coverage', { effectiveDate: '01/02/2026' }],
    ['Accumulators', { currency: 'dollars' }],
    ['Accumulators', { deductible: { individual: { inNetwork: { used: '1500.00' } } } }],
    ['Claim', { locator: 1001 }],
    ['Claim', { locator: 'CLM-1', serviceLines: [{ adjustments: [{ groupCode: 'XX' }] }] }],
    ['Claim', { locator: 'CLM-1', allowedAmount: '88.40' }],
    ['DocumentList', { documents: [{ date: 'yesterday' }] }],
    ['Profile', { emails: [{ address: 'nowhere' }] }],
    ['StoredPreferences', { email: 'yes' }],
    ['NotificationList', { notifications: {} }],
    ['NotificationLog', { log: [{ channel: 'pigeon' }] }],
    ['ConsentState', { consents: [{ state: 'maybe' }] }],
  ])('reject an invalid %s: %j', (name, body) => {
    expect(differencesFrom(`#/components/schemas/${name}`, body)).not.toBe('');
  });
});

describe('the OpenAPI document of portico serve', () => {
  it('the OpenAPI document of portico serve has the version of the package', () => {
    const { version } = JSON.parse(projectFile('packages/cli/package.json')) as { readonly version: string };
    expect(document.info.version).toBe(version);
  });
});

describe.skipIf(browserPath === undefined)('the page of the document, in a browser', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let reader: Tab;
  // All tests share one visit.
  beforeAll(async () => {
    browser = await openBrowser();
    reader = await openTab(browser);
    await reader.page.goto(`${environment.portico.url}/docs`);
  });
  afterAll(() => closeBrowser(browser));

  it('the page of the document is at most 16,000 pixels tall on a laptop', async () => {
    await reader.page.setViewportSize({ width: 1280, height: 900 });
    expect(await reader.page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(16_000);
  });

  it('supports the keyboard: the first link skips the list', async () => {
    await reader.page.keyboard.press('Tab');
    await reader.page.keyboard.press('Enter');
    await reader.page.waitForURL(/#main$/);
    await reader.page.keyboard.press('Tab');
    expect(await reader.page.locator('main :focus').count()).toBe(1);
  });

  it('opens the codes of the errors of an operation on demand', async () => {
    const operation = reader.page.getByRole('article', { name: '/me/coverage' });
    const code = operation.getByText('upstream-failure', { exact: true });
    expect(await code.isVisible()).toBe(false);
    await operation.getByText('Errors: 400 401 403 404 429 500 502 503').click();
    expect(await code.isVisible()).toBe(true);
  });

  it('fits 360 and 1440 pixels, violates no policy and has no axe violations, in light and in dark', async () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.entries(item));
    const ofEachMethod = new Map(operations.map(([method, { operationId }]) => [method, operationId]));
    const articles = Array.from(ofEachMethod.values(), (id) => `article[aria-labelledby="${id}"]`);
    expect(articles.length).toBe(4);
    await expectAccessible(reader.page, ['header', 'nav', ...articles].join());
    expect(reader.pageErrors).toEqual([]);
    expect(reader.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/docs']);
  });
});
