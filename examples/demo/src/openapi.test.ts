import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '@portico/adapters-koa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectToFit, startBrowser, violations, visit } from './browser.test.support.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let document: OpenApiDocument;

beforeAll(async () => {
  world = await startWorld();
  document = (await (await fetch(`${world.portico.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(() => world.close());

const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
ajv.addKeyword('components');

/** Every `GET` under `/me` that gives JSON, and the name of the shape that is recommended for it. */
const recommended = () =>
  Object.entries(document.paths).flatMap(([path, { get }]) => {
    const response = get?.responses[200];
    const media = response && 'content' in response ? response.content?.['application/json'] : undefined;
    const [shape] = media?.schema?.anyOf ?? [];
    return path.startsWith('/me/') && shape?.$ref !== undefined ? [{ path, ref: shape.$ref }] : [];
  });

/** What is wrong with a body beside the recommended shape itself, not beside "or anything at all". */
const differencesFrom = (ref: string, body: unknown): string => {
  const { schemas } = document.components;
  const validate = ajv.compile({ $ref: ref, components: { schemas } });
  return validate(body) ? '' : ajv.errorsText(validate.errors);
};

const locatorsIn = (list: unknown): readonly string[] =>
  Object.values(list as Readonly<Record<string, readonly { readonly locator: string }[]>>)
    .flat()
    .map(({ locator }) => locator);

describe('the recommended shapes', () => {
  it('are there for everything that a member can read', () => {
    expect(recommended().map(({ path, ref }) => `${path} ${ref.replace('#/components/schemas/', '')}`)).toEqual([
      '/me/coverage Coverage',
      '/me/accumulators Accumulators',
      '/me/claims ClaimList',
      '/me/claims/{locator} Claim',
      '/me/documents DocumentList',
      '/me/profile Profile',
      '/me/preferences StoredPreferences',
      '/me/notifications NotificationList',
      '/me/notifications/log NotificationLog',
      '/me/consent ConsentState',
    ]);
  });

  it.each(['member-a', 'member-b', 'member-c'])('fit what the sandbox says of %s', async (username) => {
    const ask = await world.as(username);
    const claims = locatorsIn(await (await ask('/me/claims')).json());
    expect(claims.length).toBeGreaterThan(0);
    for (const { path, ref } of recommended())
      for (const asked of path.includes('{') ? claims.map((locator) => path.replace('{locator}', locator)) : [path]) {
        const answer = await ask(asked);
        if (username === 'member-c' && asked === '/me/preferences') expect(answer.status).toBe(404);
        else expect([asked, answer.status, differencesFrom(ref, await answer.json())]).toEqual([asked, 200, '']);
      }
  });

  it.each([
    ['Coverage', { status: 'lapsed' }],
    ['Coverage', { effectiveDate: '01/02/2026' }],
    ['Accumulators', { currency: 'dollars' }],
    ['Accumulators', { deductible: { individual: { inNetwork: { used: '1500.00' } } } }],
    ['Claim', { status: 'paid' }],
    ['Claim', { locator: 'CLM-1', serviceLines: [{ adjustments: [{ groupCode: 'XX' }] }] }],
    ['Claim', { locator: 'CLM-1', allowedAmount: '88.40' }],
    ['DocumentList', { documents: [{ type: 'eob' }] }],
    ['Profile', { emails: [{ address: 'nowhere' }] }],
    ['StoredPreferences', { email: true }],
    ['NotificationList', {}],
    ['NotificationLog', { log: [{ channel: 'pigeon' }] }],
    ['ConsentState', { consents: [{ state: 'maybe' }] }],
  ])('are no %s such as %j', (name, body) => {
    expect(differencesFrom(`#/components/schemas/${name}`, body)).not.toBe('');
  });
});

describe('the document of portico serve', () => {
  it('has the version of the package', () => {
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe.skipIf(chromiumPath === undefined)('the page of the document, in a browser', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let reader: Awaited<ReturnType<typeof visit>> | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(() => reader?.close());
  afterAll(() => browser.close());

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([360, 1440])('fits %i pixels, breaks no policy, and axe finds nothing', async (width) => {
      reader = await visit(browser, world, '/docs', { width, colorScheme });
      await expectToFit(reader.page);
      expect(await violations(reader.page)).toEqual([]);
      expect(reader.troubles).toEqual([]);
      expect(reader.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/docs']);
    });
  });

  it('can be read by keyboard: the first key leads past the list', async () => {
    reader = await visit(browser, world, '/docs');
    await reader.page.keyboard.press('Tab');
    await reader.page.keyboard.press('Enter');
    expect(new URL(reader.page.url()).hash).toBe('#main');
    await reader.page.keyboard.press('Tab');
    expect(await reader.page.locator('main :focus').count()).toBe(1);
  });
});
