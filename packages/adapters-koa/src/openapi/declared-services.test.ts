import { builtInRoutes, declareService } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { routeTable } from '../routes/table.ts';
import { routesOf } from '../routing/route.ts';
import { validatorOf } from './document.test.support.ts';
import { openApiDocument } from '../mounting/openapi-document.ts';
import { page } from './page/page.ts';

const schema = {
  type: 'object',
  description: 'An authorization.',
  properties: { locator: { type: 'string' }, decision: { $ref: '#/$defs/decision' }, parent: { $ref: '#' } },
  required: ['locator'],
  $defs: { decision: { enum: ['approved', 'denied'] } },
};

const authorizations = declareService('prior-auth', {
  list: {
    route: 'GET /me/authorizations',
    path: '/members/{partyLocator}/authorizations',
    query: ['status'],
    summary: 'List prior authorizations',
  },
  get: { route: 'GET /me/authorizations/{locator}', path: '/a/{partyLocator}/{locator}', schema },
  'DELETE /me/authorizations/{locator}': {
    route: 'DELETE /me/authorizations/{locator}',
    path: '/a/{partyLocator}/{locator}',
  },
  submit: { route: 'POST /me/authorizations', path: '/members/{partyLocator}/authorizations' },
  letter: { route: 'GET /me/authorizations/{locator}/letter', path: '/l/{partyLocator}/{locator}', type: 'text/csv' },
});

const document = openApiDocument({ ownServices: [authorizations] });
const { paths } = document;

describe('the OpenAPI document of a declared service', () => {
  it('has one operation per route, with a stable id and the tag of the service', () => {
    expect(paths['/me/authorizations']?.get).toMatchObject({
      operationId: 'prior-auth_list',
      tags: ['prior-auth'],
      summary: 'List prior authorizations',
    });
    const one = paths['/me/authorizations/{locator}'];
    expect([one?.get?.operationId, one?.delete?.operationId]).toEqual([
      'prior-auth_get',
      'prior-auth_DELETE_me_authorizations_locator',
    ]);
    expect(document.tags).toContainEqual({ name: 'prior-auth', description: expect.any(String) });
  });

  it('has an entity tag only where another operation writes what is read', () => {
    expect(paths['/me/authorizations/{locator}']?.get?.responses[200]).toHaveProperty('headers.ETag');
    expect(paths['/me/authorizations']?.get?.responses[200]).not.toHaveProperty('headers.ETag');
  });

  it('has the declared parameters, bodies, media types and error codes', () => {
    const { parameters: ofList = [] } = paths['/me/authorizations']!.get!;
    expect(ofList).toContainEqual(expect.objectContaining({ name: 'status', in: 'query' }));
    const { get, delete: remove } = paths['/me/authorizations/{locator}']!;
    expect(get?.parameters).toContainEqual(expect.objectContaining({ name: 'locator', in: 'path', required: true }));
    expect(Object.keys(remove!.responses)).toEqual([
      '200',
      '201',
      '202',
      '204',
      '400',
      '401',
      '403',
      '404',
      '412',
      '429',
      '500',
      '502',
      '503',
    ]);
    expect(remove).not.toHaveProperty('requestBody');
    const { responses = {} } = paths['/me/authorizations/{locator}/letter']?.get ?? {};
    expect(responses[200]).toMatchObject({ content: { 'text/csv': {} } });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '201', '202', '204', '206', '304', '416']));
    const { service } = document.components.schemas['Problem']!.properties!;
    expect(service!.enum).toContain('prior-auth');
  });

  it('has the declared schemas, whose local references still lead to their parts', () => {
    const response = paths['/me/authorizations/{locator}']!.get!.responses[200];
    expect(response).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/prior-auth_get' } } },
    });
    const validate = validatorOf({ $ref: '#/components/schemas/prior-auth_get' }, document);
    expect(validate({ locator: 'A', decision: 'denied', parent: { locator: 'B' } })).toBe(true);
    expect(validate({ locator: 'A', decision: 'maybe' })).toBe(false);
    expect(validate({ locator: 'A', parent: {} })).toBe(false);
  });

  it('is shown on the documentation page, and each of its links has a target', () => {
    const html = page(document);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toContain('prior-auth_DELETE_me_authorizations_locator');
    const wanted = [...html.matchAll(/ (?:href="#|aria-labelledby=")([^"]+)"/g)].map(([, id]) => id);
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
    expect(html).toContain('-d @body.json');
    expect(html).toContain('curl -X DELETE &quot;$PORTICO/me/authorizations/{locator}&quot;');
  });

  it('is escaped on the documentation page', () => {
    const text = '<script>alert(1)</script>';
    const fields = { minimum: text, maxLength: text, format: text, pattern: text, description: text, enum: [text] };
    const each = Object.entries(fields).map(([name, value]) => [name, { [name]: value }]);
    const properties = { [text]: { $ref: text }, ...Object.fromEntries(each) } as object;
    const hostile = declareService('plans', {
      get: {
        route: 'GET /me/plans',
        path: '/p/{partyLocator}',
        summary: text,
        schema: { type: text, description: text, properties },
      },
    });
    expect(page(openApiDocument({ ownServices: [hostile] })).includes('<script')).toBe(false);
  });

  it('changes nothing for servers without such services', () => {
    expect(openApiDocument({ serves: ['search'], ownServices: [authorizations] })).toEqual(
      openApiDocument({ serves: ['search'] }),
    );
    expect(openApiDocument().components.schemas).not.toHaveProperty('OwnServiceResponse');
  });
});

it('the built-in routes that a declaration must not take are those of the route table', () => {
  const routes = routesOf(routeTable.member.filter(({ composesReads = false }) => !composesReads)).map(
    ({ method, path }) => `${method} ${path}`,
  );
  expect(routes.toSorted()).toEqual([...builtInRoutes].toSorted());
});
