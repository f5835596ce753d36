import { createUseCases } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { useCasesToken } from '@portico/core/inversify';
import { Container } from 'inversify';
import { describe, expect, it } from 'vitest';
import { koaModule, serverToken } from './inversify.ts';
import { listening, send } from './server/portal.test.support.ts';

describe('Inversify module', () => {
  it('serves the bound use cases with the given settings', async () => {
    const fakes = fakePorts();
    const container = new Container();
    container.load(koaModule({ maxRequestBytes: 8 }));
    container.bind(useCasesToken).toConstantValue(createUseCases(fakes));
    const port = await listening(container.get(serverToken));
    const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
    const headers = { authorization, 'content-type': 'application/json' };
    expect((await send(port, 'GET', '/me/coverage', { headers })).json).toEqual({ plan: 'gold' });
    expect((await send(port, 'PUT', '/me/consent', { headers, body: '{"a":123}' })).status).toBe(413);
  });

  it('serves no member route without bound use cases', async () => {
    const container = new Container();
    container.load(koaModule());
    const port = await listening(container.get(serverToken));
    expect((await send(port, 'GET', '/me/coverage')).json).toMatchObject({ code: 'no-such-route' });
  });

  it('binds the server as a singleton', () => {
    const container = new Container();
    container.load(koaModule());
    expect(container.get(serverToken)).toBe(container.get(serverToken));
  });
});
