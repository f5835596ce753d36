import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { createSignal } from '../runtime/signal.ts';
import { buildEnvelope } from './envelope.ts';
import { aLeg } from './leg.fake.ts';
import { searchTransportContract } from './search-transport.contract.ts';
import { acknowledged, fakeSearchTransport } from './search-transport.fake.ts';

searchTransportContract({ describe, it }, () => ({
  transport: fakeSearchTransport({
    acking: acknowledged,
    nacking: err({ kind: 'bap_unreachable', detail: 'the network refused' }),
    gone: err({ kind: 'bap_unreachable', detail: 'the connection was refused' }),
  }),
  acking: aLeg('acking'),
  nacking: aLeg('nacking'),
  gone: aLeg('gone'),
}));

const envelope = buildEnvelope(aLeg('moa'), 'x', { transactionId: 't', messageId: 'm' }, 0);

describe('a transport for tests', () => {
  it('keeps every post, and waits to be told how it went', async () => {
    const transport = fakeSearchTransport();
    const { signal } = createSignal();
    const posted = transport.post(aLeg('moa'), envelope, signal);
    expect(transport.posts).toMatchObject([{ leg: { id: 'moa' }, envelope, signal }]);
    transport.posts[0]?.answer(acknowledged);
    transport.posts[0]?.answer(err({ kind: 'bap_unreachable', detail: 'too late to say' }));
    expect(await posted).toEqual(ok({ outcome: 'ack' }));
  });

  it('fails a waiting post that is given up', async () => {
    const { signal, abort } = createSignal();
    const posted = fakeSearchTransport().post(aLeg('moa'), envelope, signal);
    abort();
    expect(await posted).toEqual(err({ kind: 'bap_unreachable', detail: 'the post was given up' }));
  });

  it.each(['constructor', '__proto__', 'toString'])('has no word for a leg named %s unless told', async (id) => {
    const transport = fakeSearchTransport();
    const posted = transport.post(aLeg(id), envelope, createSignal().signal);
    transport.posts[0]?.answer(acknowledged);
    expect(await posted).toEqual(acknowledged);
    const scripted = fakeSearchTransport({ [id]: acknowledged });
    expect(await scripted.post(aLeg(id), envelope, createSignal().signal)).toEqual(acknowledged);
  });
});
