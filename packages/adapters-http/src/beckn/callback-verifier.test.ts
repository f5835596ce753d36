import type { KeyObject } from 'node:crypto';
import { type Failure, unauthenticated, upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { beforeEach, describe, expect, it } from 'vitest';
import { becknSigner, publicKeyOf } from './signature.ts';
import { becknVerifier } from './callback-verifier.ts';
import { httpServer } from '../http/local-servers.test.support.ts';
import { becknRegistry } from './registry.ts';

/** RFC 8032, section 7.1, tests 1 and 2: seed and public key. */
const oldPair = {
  privateKey: 'nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=',
  publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
};
const newPair = {
  privateKey: 'TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=',
  publicKey: 'PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=',
};

const body = Buffer.from('{"context":{"action":"on_search"},"message":{}}');
const start = 1_767_225_600;
const missing = err(unauthenticated('missing'));
const invalid = err(unauthenticated('invalid'));
const sellerSigned = ok({ subscriberId: 'seller.example' });

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock(start * 1000);
});

const signed = ({ privateKey } = oldPair, created = start, expires = start + 60, bytes: Uint8Array = body) =>
  becknSigner({ subscriberId: 'seller.example', uniqueKeyId: 'k1', privateKey }).sign(bytes, created, expires);

type Answer = Result<KeyObject | undefined, Failure>;

const keyOf = ({ publicKey }: typeof oldPair): Answer => ok(publicKeyOf(publicKey));
const down = (): Answer => err(upstream('registry', 'timeout'));

/** A registry that has one answer kept and another when asked afresh. */
const verifying = (kept: Answer, fresh: Answer = kept) => {
  const asked: (readonly [string, string, boolean])[] = [];
  const { verify } = becknVerifier({
    clock,
    registry: {
      publicKey: (subscriberId, uniqueKeyId, again = false) => {
        asked.push([subscriberId, uniqueKeyId, again]);
        return new ResultAsync(Promise.resolve(again ? fresh : kept));
      },
    },
  });
  return { asked, verify };
};

const once = [['seller.example', 'k1', false]];
const twice = [...once, ['seller.example', 'k1', true]];

describe('a signed callback', () => {
  it('is from the subscriber whose key signed it', async () => {
    const { verify, asked } = verifying(keyOf(oldPair));
    expect(await verify(signed(), body)).toEqual(sellerSigned);
    expect(asked).toEqual(once);
  });

  it('is from nobody without a signature', async () => {
    const { verify, asked } = verifying(keyOf(oldPair));
    expect(await verify(undefined, body)).toEqual(missing);
    expect(asked).toEqual([]);
  });

  it.each([
    ['is empty', ''],
    ['is of another scheme', 'Bearer abc'],
    ['is of another algorithm', signed().replace('algorithm="ed25519"', 'algorithm="rsa-sha256"')],
    ['covers other headers', signed().replace('(created) (expires) digest', '(created) digest')],
    ['is truncated', signed().slice(0, -10)],
    ['is created 6 s from now', signed(oldPair, start + 6)],
    ['has expired', signed(oldPair, start - 60, start - 1)],
  ])('is refused without asking the registry when its signature %s', async (_, header) => {
    const { verify, asked } = verifying(keyOf(oldPair));
    expect(await verify(header, body)).toEqual(invalid);
    expect(asked).toEqual([]);
  });

  it('is taken up to 5 s before its time and until it expires', async () => {
    const { verify } = verifying(keyOf(oldPair));
    const header = signed(oldPair, start + 5, start + 10);
    expect(await verify(header, body)).toEqual(sellerSigned);
    clock.advance(10_000);
    expect(await verify(header, body)).toEqual(sellerSigned);
    clock.advance(1);
    expect(await verify(header, body)).toEqual(invalid);
  });

  it('is refused when the registry knows no such key', async () => {
    const { verify, asked } = verifying(ok(undefined), keyOf(oldPair));
    expect(await verify(signed(), body)).toEqual(invalid);
    expect(asked).toEqual(once);
  });

  it('is taken when the subscriber has a new key under the same id', async () => {
    const { verify, asked } = verifying(keyOf(oldPair), keyOf(newPair));
    expect(await verify(signed(newPair), body)).toEqual(sellerSigned);
    expect(asked).toEqual(twice);
  });

  it.each([
    ['the same key', keyOf(oldPair), invalid],
    ['yet another key', keyOf(newPair), invalid],
    ['no key', ok(undefined), invalid],
    ['no answer', down(), down()],
  ])('whose body was changed is refused after asking once more for %s', async (_, fresh: Answer, refused) => {
    const { verify, asked } = verifying(keyOf(oldPair), fresh);
    expect(await verify(signed(), Buffer.concat([body, Buffer.from(' ')]))).toEqual(refused);
    expect(asked).toEqual(twice);
  });

  it('cannot be checked while the registry is down', async () => {
    const { verify, asked } = verifying(down());
    expect(await verify(signed(), body)).toEqual(down());
    expect(asked).toEqual(once);
  });
});

const serving = async () => {
  const says = { publicKey: oldPair.publicKey, status: 200 };
  const server = await httpServer((response) => {
    const record = { subscriber_id: 'seller.example', key_id: 'k1', signing_public_key: says.publicKey };
    response.writeHead(says.status, { 'content-type': 'application/json' }).end(JSON.stringify([record]));
  });
  const { verify } = becknVerifier({ registry: becknRegistry({ url: server.url, clock }), clock });
  return { says, server, verify };
};

describe('with a registry', () => {
  it('many callbacks of one seller cost one lookup', async () => {
    const { server, verify } = await serving();
    const all = await Promise.all(Array.from({ length: 10 }, () => verify(signed(), body)));
    expect(all).toEqual(all.map(() => sellerSigned));
    expect(server.requests).toHaveLength(1);
  });

  it('a new key is taken at once, by all who wait', async () => {
    const { says, server, verify } = await serving();
    expect(await verify(signed(), body)).toEqual(sellerSigned);
    says.publicKey = newPair.publicKey;
    const all = await Promise.all(Array.from({ length: 10 }, () => verify(signed(newPair), body)));
    expect(all).toEqual(all.map(() => sellerSigned));
    expect(await verify(signed(oldPair), body)).toEqual(invalid);
    expect(server.requests).toHaveLength(2);
  });

  it("a forger in the seller's name costs one more lookup in 30 seconds", async () => {
    const { server, verify } = await serving();
    for (let nth = 0; nth < 10; nth++) expect(await verify(signed(newPair), body)).toEqual(invalid);
    expect(server.requests).toHaveLength(2);
    clock.advance(30_000);
    expect(await verify(signed(newPair), body)).toEqual(invalid);
    expect(server.requests).toHaveLength(3);
  });

  it('a kept key serves while the registry is down, and forgeries stay forgeries', async () => {
    const { says, verify } = await serving();
    await verify(signed(), body);
    says.status = 503;
    expect(await verify(signed(), body)).toEqual(sellerSigned);
    expect(await verify(signed(newPair), body)).toEqual(invalid);
  });

  it('nobody is believed while it is down and no key is kept', async () => {
    const { says, verify } = await serving();
    says.status = 503;
    expect(await verify(signed(), body)).toEqual(err(upstream('registry', 'status')));
  });
});
