import { somePreferences } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { bodyOf, documentIn, memberSetup, portico, sendStatus, type Test } from '../program/binary.test.support.ts';
import { sendJson } from '../program/outside-world.test.support.ts';

const six = { ...somePreferences, sms: true, billingAlerts: true };

/** A member whose preferences are changed by others between the first reads and writes. */
const changedElsewhere = async (test: Test, times: number) => {
  let version = 1;
  let kept: object = six;
  const written: string[] = [];
  const { env } = await memberSetup(test, async (response, request) => {
    if (request.method === 'GET') {
      sendJson(response.setHeader('ETag', `"${version}"`), kept);
      if (version <= times) kept = { ...six, push: false, billingAlerts: version++ % 2 === 0 };
      return;
    }
    const body = await bodyOf(request);
    written.push(`${request.headers['if-match']}`);
    if (request.headers['if-match'] !== `"${version}"`) return sendStatus(response, 412);
    kept = JSON.parse(body.toString()) as object;
    sendJson(response, kept);
  });
  return { env, written, kept: () => kept };
};

describe.concurrent('portico me preferences set', () => {
  it('keeps what others change between its read and its write', async (test) => {
    const { env, written, kept } = await changedElsewhere(test, 2);
    const { exitCode } = await portico(test, 'me preferences set sms=off', { env });
    expect([exitCode, written]).toEqual([0, ['"1"', '"2"', '"3"']]);
    expect(kept()).toEqual({ ...six, sms: false, push: false });
  });

  it('fails with exit code 4 when others change them at each of three attempts', async (test) => {
    const { env, written, kept } = await changedElsewhere(test, 3);
    const { exitCode, stdout, stderr } = await portico(test, 'me preferences set sms=off --json', { env });
    expect([exitCode, written.length]).toEqual([4, 3]);
    expect(documentIn({ stdout })).toMatchObject({ ok: false, code: 'precondition-failed', service: 'notifications' });
    expect(stderr).toContain('It was changed in the meantime. Nothing was saved.');
    expect(kept()).toMatchObject({ sms: true });
  });
});
