import { finished } from 'node:stream/promises';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { releaseChunk } from '@portico/core';
import { BodyStream } from './body-stream.ts';

/** Creates a body that records the calls to its source and its watch. */
const recordedBody = () => {
  const calls: string[] = [];
  const body = new BodyStream(
    { pull: () => {}, cancel: () => calls.push('cancelled') },
    {
      wait: () => calls.push('waiting'),
      stopWaiting: () => {},
      done: () => calls.push('done'),
      streamError: () => new Error('broken'),
    },
  );
  return { body, calls };
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
});

const bodyWith = (ownsChunks: boolean) => {
  const watch = { wait: () => {}, stopWaiting: () => {}, done: () => {}, streamError: () => new Error('broken') };
  return new BodyStream({ ownsChunks, pull: () => {}, cancel: () => {} }, watch);
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

  it('keeps its bytes if its memory does not belong to the stream', () => {
    const chunk = Buffer.allocUnsafeSlow(100);
    bodyWith(false)[releaseChunk](chunk);
    expect(chunk.byteLength).toBe(100);
  });
});
