import { finished } from 'node:stream/promises';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyStream } from './body-stream.ts';

/** A stream, and what was said to its two neighbours. */
const aBody = () => {
  const said: string[] = [];
  const body = new BodyStream(
    { pull: () => {}, abandon: () => said.push('abandoned') },
    {
      wait: () => said.push('waiting'),
      stopWaiting: () => {},
      done: () => said.push('done'),
      broken: () => new Error('broken'),
    },
  );
  return { body, said };
};

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const bytes = Buffer.from('%PDF');

describe('the time of a reader', () => {
  it('runs while it waits for bytes, and not before it asks', async () => {
    const { body, said } = aBody();
    await turn();
    expect(said).toEqual([]);
    const next = body[Symbol.asyncIterator]().next();
    await turn();
    expect(said).toContain('waiting');
    body.give(bytes);
    expect(await next).toEqual({ done: false, value: bytes });
  });

  it('does not run while the one that it is piped to is full', async () => {
    const { body, said } = aBody();
    const full = new Writable({ highWaterMark: 1, write: () => {} });
    body.pipe(full);
    body.give(bytes);
    await turn();
    const before = said.length;
    body.give(bytes);
    await turn();
    expect(said.slice(before)).toEqual([]);
  });

  it('does not begin anew once the stream is over', async () => {
    const { body, said } = aBody();
    body.destroy();
    await finished(body).catch(() => {});
    body.read();
    body.resume();
    await turn();
    expect(said).toEqual(['abandoned', 'done']);
  });
});

describe('a body', () => {
  it('that was read to its end is not abandoned', async () => {
    const { body, said } = aBody();
    body.give(bytes);
    body.finish();
    expect(await body.toArray()).toEqual([bytes]);
    expect(said).not.toContain('abandoned');
    expect(said).toContain('done');
  });

  it('whose last byte has arrived is done before it is read', () => {
    const { body, said } = aBody();
    body.give(bytes);
    body.finish();
    expect(said).toEqual(['done']);
  });

  it('that breaks while nobody reads it ends no process, and is told to whoever reads it then', async () => {
    const { body } = aBody();
    body.fail();
    await turn();
    await expect(body.toArray()).rejects.toThrow('broken');
  });

  it('can be ended by somebody who never read, or who waits', async () => {
    for (const reads of [false, true]) {
      const { body, said } = aBody();
      const reader = body[Symbol.asyncIterator]();
      const next = reads ? reader.next() : undefined;
      expect(await reader.return?.()).toEqual({ done: true, value: undefined });
      expect(await next).toEqual(reads ? { done: true, value: undefined } : undefined);
      expect(said).toContain('abandoned');
    }
  });
});
