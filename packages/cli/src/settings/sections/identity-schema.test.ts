import { describe, expect, it } from 'vitest';
import { identityProviders, signInProvider } from './identity-schema.ts';
import { memberApi, problemsOf, settingsFile, settingsOf } from '../settings-file.test.support.ts';
import { showSettings } from '../../output/settings-view.ts';

const issuer = 'https://other.example';
const several = [memberApi.identity, { ...memberApi.identity, issuer }];

const inFile = (identity: unknown, more: object = {}) => ({
  flags: { '--config': settingsFile({ ...memberApi, ...more, identity }) },
});

describe('several identity providers', () => {
  it('have their own settings, with the defaults of one', () => {
    const { settings } = settingsOf(inFile([memberApi.identity, { issuer, clients: ['app'], scopes: { read: 'me' } }]));
    const second = { ...memberApi.identity, issuer, clients: ['app'], scopes: { read: 'me' } };
    expect(identityProviders(settings)).toEqual([memberApi.identity, second]);
  });

  it('are one provider when only one is set, in an array or not', () => {
    for (const identity of [memberApi.identity, [memberApi.identity]])
      expect(identityProviders(settingsOf(inFile(identity)).settings)).toEqual([memberApi.identity]);
    expect(identityProviders(settingsOf({}).settings)).toEqual([]);
  });

  it('let members sign in with the first', () => {
    expect(signInProvider(settingsOf(inFile(several)).settings)).toEqual(memberApi.identity);
    expect(signInProvider(settingsOf({}).settings)).toBeUndefined();
  });

  it('have their problems reported by number', () => {
    const wrong = [memberApi.identity, { isuer: 'x', audience: [], dpop: 'on' }];
    expect(problemsOf(inFile(wrong)).map(({ setting, message }) => [setting, message])).toEqual([
      ['identity.1.issuer', 'required; must be an http or https URL'],
      ['identity.1.audience', 'must be a non-empty array of strings'],
      ['identity.1.dpop', 'must be one of off, accept, require'],
      ['identity.1.isuer', expect.stringMatching(/^unknown setting; did you mean issuer\?/)],
    ]);
  });

  it.each([
    ['identity', [], 'must be an object, or a non-empty array of objects'],
    ['identity', 'https://id.example', 'must be an object'],
    ['identity.0', ['https://id.example'], 'must be an object'],
    ['identity.1.issuer', [{ issuer }, { issuer }], 'must differ from the issuers before it'],
  ])('are refused: %s', (setting, identity, message) => {
    expect(problemsOf(inFile(identity))).toMatchObject([{ setting, message }]);
  });

  it('cannot be changed by a variable or flag, which would name only one', () => {
    const { flags } = inFile(several);
    const env = { IDENTITY_ISSUER: 'https://third.example', LOCATOR_CLAIM: 'member' };
    const message = 'cannot be set when identity is an array; set it in the settings file';
    expect(problemsOf({ flags: { ...flags, '--identity-audience': 'app' }, env })).toEqual([
      { setting: 'identity.issuer', source: 'IDENTITY_ISSUER', message },
      { setting: 'identity.audience', source: '--identity-audience', message },
      { setting: 'identity.locatorClaim', source: 'LOCATOR_CLAIM', message },
    ]);
  });

  it('are shown one setting per line, with its source', () => {
    const { flags } = inFile([{ issuer }, { issuer: 'https://third.example', clients: ['app'] }]);
    const lines = showSettings(settingsOf({ flags })).split('\n');
    expect(lines).toContain(`identity.0.issuer = "${issuer}"  (${flags['--config']})`);
    expect(lines).toContain('identity.0.clients = null  (default)');
    expect(lines).toContain(`identity.1.clients = ["app"]  (${flags['--config']})`);
  });
});

describe('the rules of an identity provider', () => {
  it.each([
    ['identity.memberTokensOnly', { memberTokensOnly: 'no' }, 'must be true or false'],
    ['identity.clients', { clients: [] }, 'must be a non-empty array of client ids, or null'],
    ['identity.clients.0', { clients: [''] }, 'must be a string'],
    ['identity.scopes.read', { scopes: { read: '' } }, 'must be scopes separated by single spaces'],
    ['identity.scopes.write', { scopes: { write: 'a  b' } }, 'must be scopes separated by single spaces'],
    ['identity.scopes.read', { scopes: { read: 'a"b' } }, 'must be scopes separated by single spaces'],
    ['identity.scopes.read', { scopes: { read: 'a\r\nb' } }, 'must be scopes separated by single spaces'],
    ['identity.scopes.delete', { scopes: { delete: 'a' } }, expect.stringMatching(/^unknown setting/)],
  ])('are refused: %s in %j', (setting, rules, message) => {
    expect(problemsOf(inFile({ issuer, ...rules }))).toMatchObject([{ setting, message }]);
  });

  it.each(['accept', 'require'])('need the public URL when dpop is %s, of any provider', (dpop) => {
    for (const identity of [{ issuer, dpop }, [memberApi.identity, { issuer, dpop }]]) {
      const message = 'requires the URL under which clients reach this server, because of dpop';
      expect(problemsOf(inFile(identity))).toMatchObject([{ setting: 'listen.publicUrl', message }]);
      const listen = { publicUrl: 'https://portal.example' };
      expect(problemsOf(inFile(identity, { listen }))).toEqual([]);
    }
  });

  it('need a public URL without query and fragment', () => {
    expect(problemsOf(inFile({ issuer }, { listen: { publicUrl: 'https://portal.example?a' } }))).toMatchObject([
      { setting: 'listen.publicUrl', message: 'must be a base URL, without query and fragment' },
    ]);
  });
});
