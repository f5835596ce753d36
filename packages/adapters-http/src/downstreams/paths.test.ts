import { describe, expect, it } from 'vitest';
import { downstreamPaths, filledPath, pathTemplateProblem } from './paths.ts';

const forMember = '/parties/{partyLocator}';
const forOne = '/members/{partyLocator}/claims/{locator}';

describe('a path template', () => {
  it('inserts both locators', () => {
    expect(filledPath(forOne)('PTY-1', { locator: 'CLM-1' })).toBe('/members/PTY-1/claims/CLM-1');
  });

  it.each([
    ['auth0|a@b:c', 'auth0%7Ca%40b%3Ac'],
    ['PTY/../OTHER', 'PTY%2F..%2FOTHER'],
    ['PTY?admin=1#x', 'PTY%3Fadmin%3D1%23x'],
    ['PTY 1&%2e', 'PTY%201%26%252e'],
    ['{locator}', '%7Blocator%7D'],
    ['$&$1', '%24%26%241'],
  ])('encodes the locator %s, so that it stays one segment', (locator, encoded) => {
    expect(filledPath(forMember)(locator, {})).toBe(`/parties/${encoded}`);
    expect(filledPath(forOne)('PTY-1', { locator })).toBe(`/members/PTY-1/claims/${encoded}`);
  });

  it('a path template may contain {partyLocator} twice, or not at all', () => {
    expect(filledPath('/{partyLocator}/of/{partyLocator}')('a|b', {})).toBe('/a%7Cb/of/a%7Cb');
    expect(filledPath('/me')('PTY-1', {})).toBe('/me');
  });

  it('a path template is percent-encoded to ASCII', () => {
    expect(filledPath('/Bürger/{partyLocator}/漢')('a', {})).toBe('/B%C3%BCrger/a/%E6%BC%A2');
  });

  it('a path template may have a query string', () => {
    expect(filledPath('/claim?party={partyLocator}&id={locator}')('a|b', { locator: 'c:d' })).toBe(
      '/claim?party=a%7Cb&id=c%3Ad',
    );
  });
});

it.each([
  '/{partyLocator}/{locator}',
  '/claims;party={partyLocator};id={locator}',
  "/Claims(Party='{partyLocator}',Id='{locator}')",
  '/x-{partyLocator}.json?id=x-{locator}',
  '/claim?party={partyLocator}&id={locator}',
])('pathTemplateProblem accepts a separator that values cannot contain: %s', (template) => {
  expect(pathTemplateProblem(template, forOne)).toBeUndefined();
});

it.each(['/me', '/Bürger/{partyLocator}/漢', '/{partyLocator}/of/{partyLocator}'])(
  'pathTemplateProblem accepts %s',
  (template) => {
    expect(pathTemplateProblem(template, forMember)).toBeUndefined();
  },
);

describe('pathTemplateProblem', () => {
  const separated = 'must have a character that values cannot contain, such as "/", between its placeholders';
  const shape = 'must be a path that starts with "/" and has no placeholders other than {partyLocator} and {locator}';
  it.each([
    ['an empty one', '', forMember, shape],
    ['one that does not begin at the root', 'parties/{partyLocator}', forMember, shape],
    ['another host', '//elsewhere.example/{partyLocator}', forMember, shape],
    ['a full URL', 'http://elsewhere.example/{partyLocator}', forMember, shape],
    ['a parent segment', '/../{partyLocator}', forMember, shape],
    ['an encoded parent segment', '/%2E%2E/{partyLocator}', forMember, shape],
    ['an incomplete encoding', '/%{partyLocator}', forMember, shape],
    ['placeholders without a separator', '/claims/{partyLocator}{locator}', forOne, separated],
    ['placeholders in one segment', '/claims/{partyLocator}-{locator}', forOne, separated],
    ['placeholders in one query value', '/claims?id={partyLocator}:{locator}', forOne, separated],
    ['a backslash', '/\\{partyLocator}', forMember, shape],
    ['a fragment', '/x#{partyLocator}', forMember, shape],
    ['a space', '/x y', forMember, shape],
    ['an unknown placeholder', '/parties/{partyId}', forMember, shape],
    ['an unclosed brace', '/parties/{partyLocator', forMember, shape],
    ['a missing locator', '/members/{partyLocator}/claims', forOne, 'must contain {locator}'],
    ['a locator in an operation without one', '/parties/{locator}', forMember, 'must not contain {locator}'],
  ])('rejects %s', (_, template, defaultTemplate, problem) => {
    expect(pathTemplateProblem(template, defaultTemplate)).toBe(problem);
  });
});

it('pathTemplateProblem accepts all default templates', () => {
  const problems = Object.values(downstreamPaths).flatMap((paths) =>
    Object.values<string>(paths).map((template) => pathTemplateProblem(template, template)),
  );
  expect(new Set(problems)).toEqual(new Set([undefined]));
});
