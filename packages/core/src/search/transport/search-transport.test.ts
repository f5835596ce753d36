import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { CoreSignal } from '../../runtime/signal.ts';
import { buildEnvelope } from '../envelope.ts';
import { aLeg } from '../leg.fake.ts';
import { acknowledged, fakeSearchTransport } from './search-transport.fake.ts';

const envelope = buildEnvelope(aLeg('moa'), 'x', { transactionId: 't', messageId: 'm' }, 0);

describe('fakeSearchTransport', () => {
  it('records every post and settles it with the first response', async () => {
    const transport = fakeSearchTransport();
    const signal = new CoreSignal();
    const posted = transport.post(aLeg('moa'), envelope, signal);
    expect(transport.posts).toMatchObject([{ leg: { id: 'moa' }, envelope, signal }]);
    transport.posts[0]?.respond(acknowledged);
    transport.posts[0]?.respond(err({ kind: 'bap_unreachable', detail: 'ignored' }));
    expect(await posted).toEqual(ok({ outcome: 'ack' }));
  });

  it('fails a pending post that is cancelled', async () => {
    const signal = new CoreSignal();
    const posted = fakeSearchTransport().post(aLeg('moa'), envelope, signal);
    signal.abort();
    expect(await posted).toEqual(err({ kind: 'bap_unreachable', detail: 'the post was cancelled' }));
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'applies the script to a leg named %s only when it is an own property',
    async (id) => {
      const transport = fakeSearchTransport();
      const posted = transport.post(aLeg(id), envelope, new CoreSignal());
      transport.posts[0]?.respond(acknowledged);
      expect(await posted).toEqual(acknowledged);
      const scripted = fakeSearchTransport({ [id]: acknowledged });
      expect(await scripted.post(aLeg(id), envelope, new CoreSignal())).toEqual(acknowledged);
    },
  );
});
