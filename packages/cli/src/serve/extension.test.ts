import { ok } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileWith, portico, porticoProcess, startPortico } from '../program/binary.test.support.ts';
import { bearer, identityProvider } from '../program/outside-world.test.support.ts';
import { loadExtension } from './extension.ts';

const test = { onTestFinished };

/** Creates a module file that is removed after the test. */
const moduleWith = (source: string) => fileWith(test, source, { name: 'portico.mjs' });

/** A module that binds the claims port, with its own copies of the packages: the built ones. */
const ourModule = () =>
  moduleWith(`
    import { ContainerModule } from '${import.meta.resolve('inversify')}';
    import { okAsync } from '${import.meta.resolve('neverthrow')}';
    import { portTokens } from '${new URL('../../../core/dist/inversify.js', import.meta.url).href}';
    const claims = { list: () => okAsync({ text: '{"from":"our adapter"}', value: {} }) };
    export default {
      modules: [new ContainerModule(({ bind }) => { bind(portTokens.claims).toConstantValue(claims); })],
      middleware: [(ctx, next) => { ctx.set('X-Ours', 'yes'); return next(); }],
    };
  `);

const refused = async (source: string): Promise<string> => {
  const file = moduleWith(source);
  return (await loadExtension(file)).match(
    () => 'accepted',
    ({ exitCode, document: { code, detail } }) => {
      expect([exitCode, code]).toEqual([2, 'invalid-request']);
      return detail.replace(file, 'portico.mjs');
    },
  );
};

describe('the module of --with', () => {
  it('is empty when the option is not used', async () => {
    expect(await loadExtension(undefined)).toEqual(ok({}));
  });

  it('is refused when the file does not exist', async () => {
    expect(await loadExtension('./gone.mjs')).toMatchObject({
      error: { exitCode: 2, document: { detail: './gone.mjs: file not found.' } },
    });
  });

  it.each([
    ['', 'the module has no default export; export an object with modules, services, middleware.'],
    ['export default 1', 'the default export must be an object with modules, services, middleware.'],
    ['export default []', 'the default export must be an object with modules, services, middleware.'],
    [
      'export default { module: [] }',
      'the default export has the unknown property module; expected modules, services, middleware.',
    ],
    ['export default { modules: {} }', 'modules must be an array of inversify ContainerModule objects.'],
    ['export default { modules: [{}] }', 'modules must be an array of inversify ContainerModule objects.'],
    ['export default { services: [{}] }', 'services must be an array of services, made with ownService.'],
    ['export default { middleware: [1] }', 'middleware must be an array of Koa middleware functions.'],
  ])('is refused with a sentence that names the file: %s', async (source, sentence) => {
    expect(await refused(source)).toBe(`portico.mjs: ${sentence}`);
  });

  it('is refused when it cannot be loaded, without the message of its exception', async () => {
    expect(await refused('throw new TypeError("hunter2")')).toBe('portico.mjs cannot be used: it throws TypeError.');
    for (const quoting of ['JSON.parse("hunter2")', 'BigInt("hunter2")', 'new RegExp("(hunter2")'])
      expect(await refused(quoting)).toBe('portico.mjs cannot be used: it throws SyntaxError.');
    expect(await refused('export default {')).toMatch(/^portico\.mjs cannot be used: ./);
    expect(await refused('import "./gone.mjs"')).toMatch(/^portico\.mjs cannot be used: Cannot find module /);
  });

  it('config check --with lists the routes of a service that only the module has', async () => {
    const env = { IDENTITY_ISSUER: 'https://identity.example' };
    const { exitCode, stdout } = await portico(test, ['config', 'check', '--with', ourModule()], { env });
    expect([exitCode, stdout]).toEqual([
      0,
      'Configuration is valid. Enabled: member API.\n  GET /me\n  GET /me/claims\n  POST /me/claims\n  GET /me/claims/{locator}\n',
    ]);
    const without = await portico(test, ['config', 'check'], { env });
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('downstreams')]);
  });

  it.each([
    ['visits', 'There are two services with the name "visits".'],
    ['trips', 'The route "GET /me/visits" collides with the route of the same name.'],
  ])('config check --with refuses what serve would refuse, with the reason: %s', async (name, reason) => {
    const routes = { 'GET /me/visits': { path: '/{partyLocator}' } };
    const settings = fileWith(test, JSON.stringify({ downstreams: { visits: { url: 'http://visits.test', routes } } }));
    const env = { IDENTITY_ISSUER: 'https://identity.example', PORTICO_CONFIG: settings };
    const file = moduleWith(`
      import { declareService, ownService } from '${new URL('../../../core/dist/index.js', import.meta.url).href}';
      const own = declareService('${name}', { list: { route: 'GET /me/visits', path: '/{partyLocator}' } });
      export default { services: [ownService(own, { list: () => {} })] };
    `);
    const { exitCode, stderr } = await portico(test, ['config', 'check', '--with', file], { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${file} cannot be used: ${reason}`)]);
  });

  it('config check --with reports a module whose bindings cannot be loaded, with exit code 2', async () => {
    const file = moduleWith('export default { modules: [{ id: 1, load() { throw new TypeError("hunter2"); } }] }');
    const { exitCode, stderr } = await portico(test, ['config', 'check', '--with', file]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${file} cannot be used: it throws TypeError.`)]);
    expect(stderr).not.toContain('hunter2');
  });

  it('portico serve --with uses the adapter of the module', async () => {
    const identity = await identityProvider(test);
    const env = { IDENTITY_ISSUER: identity.issuer };
    const server = startPortico(test, ['serve', '--port', '0', '--with', ourModule()], { env });
    const [url = ''] = /http:\S+/.exec(await server.until('stdout', /\n/)) ?? [];
    const response = await fetch(`${url}/me/claims`, bearer(identity.token()));
    expect([response.status, await response.json()]).toEqual([200, { from: 'our adapter' }]);
    expect(response.headers.get('x-ours')).toBe('yes');
    expect((await server.interrupt('SIGTERM')).exitCode).toBe(0);
  });

  it('portico serve --with exits with 2 when the module throws, and shows its stack with --verbose', async () => {
    const file = moduleWith('throw new TypeError("a bug")');
    const { exitCode, stderr } = await porticoProcess(test, ['serve', '--port', '0', '--with', file, '--verbose']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('TypeError: a bug\n    at ')]);
  });

  it.each([
    ['a syntax error of the module', 'export default {', 'Unexpected end of input'],
    ['a missing export', 'import { gone } from "node:fs";', 'does not provide an export named'],
  ])('portico serve --with shows the message of Node for %s', async (_, source, message) => {
    const { exitCode, stderr } = await porticoProcess(test, ['serve', '--port', '0', '--with', moduleWith(source)]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
