import { existsSync } from 'node:fs';
import { type Environment, startEnvironment } from '@portico/demo/environment';
import { pagesDirectory } from '@portico/demo/pages';
import { type Browser, chromium } from 'playwright-core';
import { type Command, log } from '../command.ts';
import { report, requirement } from '../requirements.ts';
import { type Cookies, type Device, type Visit, visitTwice } from './visit.ts';

/** Each with a text that it shows when it is complete. */
const pages = [
  { name: 'sign-in', path: '/', ready: 'Your coverage, claims and documents', isSignedOut: true },
  { name: 'dashboard', path: '/', ready: 'Member ID' },
  { name: 'claims', path: '/claims', ready: 'CLM-1001-06' },
  { name: 'a claim', path: '/claims/CLM-1001-03', ready: 'What you pay' },
  { name: 'submit a claim', path: '/claims/new', ready: 'Name of the provider' },
  { name: 'costs', path: '/costs', ready: 'At the pharmacy' },
  { name: 'ID card', path: '/card', ready: 'Numbers to read out or copy' },
  { name: 'documents', path: '/documents', ready: '7 documents' },
  { name: 'notifications', path: '/notifications', ready: 'Messages we sent you' },
  { name: 'preferences', path: '/preferences', ready: 'What you get' },
  { name: 'account', path: '/account', ready: 'Electronic delivery' },
  { name: 'search', path: '/search?q=health', ready: '12 offers from 2 networks' },
] as const;

const rounds = 3;
const maxShift = 0.05;

const desktop: Device = { name: 'this machine', viewport: { width: 1350, height: 940 }, cpuSlowdown: 1 };

/** A phone as in the mobile settings of Lighthouse. The latency is that of each request. */
const phone: Device = {
  name: 'phone',
  viewport: { width: 412, height: 823 },
  cpuSlowdown: 4,
  network: { bitsPerSecond: 1_600_000, latencyMs: 150 },
};

const chromiumPath = [process.env['CHROMIUM'], '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

const signIn = async (browser: Browser, { portico }: Environment): Promise<Cookies> => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(portico.url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Username').fill('member-a');
  await page.getByLabel('Password').fill('sandbox-a');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
  const cookies = await context.storageState();
  await context.close();
  return cookies;
};

interface Measured {
  readonly page: string;
  readonly device: string;
  readonly cache: 'cold' | 'warm';
  readonly visits: readonly Visit[];
}

const measure = async (browser: Browser, environment: Environment): Promise<readonly Measured[]> => {
  const signedIn = await signIn(browser, environment);
  const measured: Measured[] = [];
  for (const { name, path, ready, ...page } of pages)
    for (const device of [desktop, phone]) {
      const cookies = 'isSignedOut' in page ? { cookies: [], origins: [] } : signedIn;
      const visits = [];
      for (let round = 0; round < rounds; round++)
        visits.push(await visitTwice(browser, device, cookies, { url: environment.portico.url + path, ready }));
      for (const cache of ['cold', 'warm'] as const)
        measured.push({ page: name, device: device.name, cache, visits: visits.map((both) => both[cache]) });
      log(`${name}, ${device.name}`);
    }
  return measured;
};

/** Other work on the machine makes a visit slower, never faster. */
const leastOf = ({ visits }: Measured, name: keyof Visit): number => Math.min(...visits.map((visit) => visit[name]));

const shiftOf = ({ visits }: Measured): number => Math.max(...visits.map(({ shift }) => shift));

const rowOf = (measured: Measured): readonly (string | number)[] => [
  measured.page,
  measured.device,
  measured.cache,
  Math.round(leastOf(measured, 'firstPaintMs')),
  Math.round(leastOf(measured, 'largestPaintMs')),
  shiftOf(measured).toFixed(3),
  Math.round(leastOf(measured, 'bytes') / 1000),
];

/** Times depend on the machine; layout shifts do not. */
const requirementsOf = (measured: readonly Measured[]) => {
  const shift = Math.max(...measured.map(shiftOf));
  return [requirement('layout shift of each page', shift.toFixed(3), shift < maxShift, `< ${maxShift}`)];
};

/**
 * First and largest contentful paint, layout shift and bytes of each page of the example, with and without a cache, on this
 * machine and on a phone. Needs Chromium (`CHROMIUM`, else /usr/bin/chromium). Run it on an idle machine.
 */
export const pagePaints: Command = async () => {
  if (chromiumPath === undefined) throw new Error('Chromium is not installed: set CHROMIUM to its path.');
  const environment = await startEnvironment({
    sessions: true,
    settings: () => ({ pages: { directory: pagesDirectory } }),
  });
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--headless=new', '--no-sandbox'] });
  try {
    const measured = await measure(browser, environment);
    return report('pages', {
      requirements: requirementsOf(measured),
      table: [
        ['page', 'device', 'cache', 'first paint, ms', 'largest paint, ms', 'layout shift', 'kB'],
        ...measured.map(rowOf),
      ],
      summary: `Times and bytes: the least of ${rounds} visits; layout shift: the most.`,
      data: { measured },
    });
  } finally {
    await browser.close();
    await environment.close();
  }
};
