import { problemOf } from '@portico/core';
import { somePreferences } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { bodyOf, documentIn, memberSetup, portico, sendStatus, type Test } from '../program/binary.test.support.ts';
import { sendJson } from '../program/outside-world.test.support.ts';

const six = { ...somePreferences, sms: true, billingAlerts: true };

/** Starts a service where another client changes the preferences between each of the first `times` reads and writes. */
const contendedPreferences = async (test: Test, times: number) => {
  let version = 1;
  let stored: object = six;
  const written: string[] = [];
  const { env } = await memberSetup(test, async (response, request) => {
    if (request.method === 'GET') {
      sendJson(response.setHeader('ETag', `"${version}"`), stored);
      if (version <= times) stored = { ...six, push: false, billingAlerts: version++ % 2 === 0 };
      return;
    }
    const body = await bodyOf(request);
    written.push(`${request.headers['if-match']}`);
    if (request.headers['if-match'] !== `"${version}"`) return sendStatus(response, 412);
    stored = JSON.parse(body.toString()) as object;
    sendJson(response, stored);
  });
  return { env, written, stored: () => stored };
};

describe.concurrent('portico me preferences set', () => {
  it('keeps changes that other clients make between its read and its write', async (test) => {
    const { env, written, stored } = await contendedPreferences(test, 2);
    const { exitCode } = await portico(test, 'me preferences set sms=off', { env });
    expect([exitCode, written]).toEqual([0, ['"1"', '"2"', '"3"']]);
    expect(stored()).toEqual({ ...six, sms: false, push: false });
  });

  it('exits with 4 when other clients change the preferences during each of three attempts', async (test) => {
    const { env, written, stored } = await contendedPreferences(test, 3);
    const { exitCode, stdout, stderr } = await portico(test, 'me preferences set sms=off --json', { env });
    expect([exitCode, written.length]).toEqual([4, 3]);
    expect(documentIn({ stdout })).toMatchObject({ ok: false, code: 'precondition-failed', service: 'notifications' });
    expect(stderr).toContain(problemOf({ kind: 'precondition-failed', service: 'notifications' }).detail);
    expect(stored()).toMatchObject({ sms: true });
  });
});
