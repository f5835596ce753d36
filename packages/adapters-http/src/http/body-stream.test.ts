import { finished } from 'node:stream/promises';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { releaseChunk } from '@portico/core';
import { BodyStream } from './body-stream.ts';

/** Creates a body that records the calls to its source and its watch. */
const recordedBody = () => {
  const calls: string[] = [];
  /** The requests for bytes, and the arrivals of some. */
  const pulls: string[] = [];
  const body = new BodyStream(
    { pull: () => void pulls.push('pulled'), cancel: () => calls.push('cancelled') },
    {
      wait: () => calls.push('waiting'),
      stopWaiting: () => void pulls.push('arrived'),
      done: () => calls.push('done'),
      streamError: () => new Error('broken'),
    },
  );
  return { body, calls, pulls };
};

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const bytes = Buffer.from('%PDF');

describe('the idle timer', () => {
  it('runs while a reader waits for bytes, and not before the first read', async () => {
    const { body, calls } = recordedBody();
    await turn();
    expect(calls).toEqual([]);
    const next = body[Symbol.asyncIterator]().next();
    await turn();
    expect(calls).toContain('waiting');
    body.enqueue(bytes);
    expect(await next).toEqual({ done: false, value: bytes });
  });

  it('stops when bytes arrive', () => {
    const { body, pulls } = recordedBody();
    body.enqueue(bytes);
    expect(pulls).toEqual(['arrived']);
  });

  it('does not stop at an empty chunk', () => {
    const { body, pulls } = recordedBody();
    body.enqueue(Buffer.alloc(0));
    expect(pulls).toEqual([]);
  });

  it('does not run while a reader has unread bytes, or reads a part', async () => {
    const { body, calls } = recordedBody();
    body.enqueue(bytes);
    expect(body.read(1)).toEqual(bytes.subarray(0, 1));
    expect(body.read(100)).toBeNull();
    await turn();
    expect(calls).toEqual([]);
    expect(body.read()).toEqual(bytes.subarray(1));
    expect(body.read()).toBeNull();
    expect(calls).toEqual(['waiting']);
  });

  it('does not run after the last byte was read', async () => {
    const { body, calls } = recordedBody();
    body.enqueue(bytes);
    body.finish();
    await body.toArray();
    const before = calls.length;
    expect(body.read()).toBeNull();
    expect(calls.slice(before)).toEqual([]);
  });

  it('runs while a pipe waits for bytes', async () => {
    const { body, calls } = recordedBody();
    body.pipe(new Writable({ write: (_chunk, _encoding, done) => done() }));
    body.enqueue(bytes);
    await turn();
    expect(calls).toContain('waiting');
  });

  it('runs again after each chunk that a flowing reader has taken', async () => {
    const { body, calls } = recordedBody();
    body.on('data', () => {});
    await turn();
    for (let nth = 0; nth < 2; nth++) {
      const before = calls.length;
      body.enqueue(bytes);
      await turn();
      expect(calls.slice(before)).toContain('waiting');
    }
  });

  it('does not run while the start of the body is awaited, which has its own deadline', async () => {
    const { body, calls } = recordedBody();
    const started = body.started();
    await turn();
    body.enqueue(bytes);
    await started;
    await turn();
    expect(calls).toEqual([]);
  });

  it('does not run during back-pressure', async () => {
    const { body, calls } = recordedBody();
    const full = new Writable({ highWaterMark: 1, write: () => {} });
    body.pipe(full);
    body.enqueue(bytes);
    await turn();
    const before = calls.length;
    body.enqueue(bytes);
    await turn();
    expect(calls.slice(before)).toEqual([]);
  });

  it('does not start after the stream has ended', async () => {
    const { body, calls } = recordedBody();
    body.destroy();
    await finished(body).catch(() => {});
    body.read();
    body.resume();
    await turn();
    expect(calls).toEqual(['cancelled', 'done']);
  });
});

describe('a body', () => {
  it('does not cancel its source when it was read to its end', async () => {
    const { body, calls } = recordedBody();
    body.enqueue(bytes);
    body.finish();
    expect(await body.toArray()).toEqual([bytes]);
    expect(calls).not.toContain('cancelled');
    expect(calls).toContain('done');
  });

  it('a body is done when its last byte has arrived, before it is read', () => {
    const { body, calls } = recordedBody();
    body.enqueue(bytes);
    body.finish();
    expect(calls).toEqual(['done']);
  });

  it('keeps an error until it is read, without ending the process', async () => {
    const { body } = recordedBody();
    body.fail();
    await turn();
    await expect(body.toArray()).rejects.toThrow('broken');
  });

  it('a body can be ended before the first read and during a read', async () => {
    for (const reads of [false, true]) {
      const { body, calls } = recordedBody();
      const reader = body[Symbol.asyncIterator]();
      const next = reads ? reader.next() : undefined;
      expect(await reader.return?.()).toEqual({ done: true, value: undefined });
      expect(await next).toEqual(reads ? { done: true, value: undefined } : undefined);
      expect(calls).toContain('cancelled');
    }
  });

  it('requests bytes from its source when they are wanted, and pauses it when enough are unread', async () => {
    const { body, pulls } = recordedBody();
    expect(pulls).toEqual([]);
    body.read();
    expect(pulls).toEqual(['pulled']);
    expect(body.enqueue(bytes)).toBe(true);
    expect(body.enqueue(Buffer.alloc(200_000))).toBe(false);
  });

  it('fails with the error of its watch, and cancels its source', async () => {
    const { body, calls } = recordedBody();
    body.fail();
    await expect(finished(body)).rejects.toThrow(/^broken$/);
    expect(calls).toEqual(['cancelled', 'done']);
  });

  it('passes its error on to each read, and the end to none', async () => {
    const { body } = recordedBody();
    const reader = body[Symbol.asyncIterator]();
    const next = reader.next();
    body.fail();
    await expect(next).rejects.toThrow(/^broken$/);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it('is over for its reader after it was disposed of', async () => {
    const { body, calls } = recordedBody();
    {
      await using reader = body[Symbol.asyncIterator]();
      body.enqueue(bytes);
      expect(await reader.next()).toEqual({ done: false, value: bytes });
    }
    expect(calls).toContain('cancelled');
    expect(body.destroyed).toBe(true);
  });

  it('has an iterator that is its own iterable', () => {
    const reader = recordedBody().body[Symbol.asyncIterator]();
    expect(reader[Symbol.asyncIterator]()).toBe(reader);
  });
});

describe('the start of a body', () => {
  it('is its first bytes, or its end when it is empty', async () => {
    for (const begin of [(body: BodyStream) => void body.enqueue(bytes), (body: BodyStream) => body.finish()]) {
      const { body } = recordedBody();
      const started = body.started();
      begin(body);
      expect(await started).toBeUndefined();
      expect(body.listenerCount('error')).toBe(1);
    }
  });

  it('keeps the first bytes for the reader', async () => {
    const { body } = recordedBody();
    body.enqueue(bytes);
    await body.started();
    body.finish();
    expect(await body.toArray()).toEqual([bytes]);
  });

  it('is its failure when it fails before', async () => {
    const { body } = recordedBody();
    const started = body.started();
    body.fail();
    await expect(started).rejects.toThrow(/^broken$/);
  });
});

const bodyWith = (ownsChunks: boolean) => {
  const watch = { wait: () => {}, stopWaiting: () => {}, done: () => {}, streamError: () => new Error('broken') };
  return new BodyStream({ ownsChunks: () => ownsChunks, pull: () => {}, cancel: () => {} }, watch);
};

describe('a chunk', () => {
  it('is empty after its release if it covers its whole buffer', () => {
    const chunk = Buffer.allocUnsafeSlow(65_536);
    bodyWith(true)[releaseChunk](chunk);
    expect(chunk.byteLength).toBe(0);
  });

  it('keeps its bytes if the buffer may have another chunk', () => {
    const memory = Buffer.allocUnsafeSlow(100);
    for (const chunk of [memory.subarray(1), memory.subarray(0, 99), memory.subarray(40, 60)]) {
      const { byteLength } = chunk;
      bodyWith(true)[releaseChunk](chunk);
      expect([chunk.byteLength, memory.byteLength]).toEqual([byteLength, 100]);
    }
  });

  it('may be released twice', () => {
    const chunk = Buffer.allocUnsafeSlow(100);
    const body = bodyWith(true);
    for (let time = 0; time < 2; time++) body[releaseChunk](chunk);
    expect(chunk.byteLength).toBe(0);
  });

  it('keeps its bytes if its memory does not belong to the stream', () => {
    const chunk = Buffer.allocUnsafeSlow(100);
    bodyWith(false)[releaseChunk](chunk);
    expect(chunk.byteLength).toBe(100);
  });
});
