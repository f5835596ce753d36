import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';

/** A computer and its network. */
export interface Device {
  readonly name: string;
  readonly viewport: { readonly width: number; readonly height: number };
  /** How many times slower the processor is than that of this machine. */
  readonly cpuSlowdown: number;
  readonly network?: { readonly bitsPerSecond: number; readonly latencyMs: number };
}

/** The cookies of a browser. */
export type Cookies = Awaited<ReturnType<BrowserContext['storageState']>>;

/** What a member sees of one visit. Times are in milliseconds since the navigation. */
export interface Visit {
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** The sum of all layout shifts: 0.1 is poor, 0 is none. */
  readonly shift: number;
  /** Bytes on the network until the page was complete, headers included. */
  readonly bytes: number;
}

const limitDevice = async (devTools: CDPSession, { cpuSlowdown, network }: Device): Promise<void> => {
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await devTools.send('Network.enable');
  if (network === undefined) return;
  const bytesPerSecond = network.bitsPerSecond / 8;
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: network.latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond / 2,
  });
};

/** Runs in the browser, two frames later, so that the last change is drawn. */
const readEntries = `
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => {
    const entriesOf = (type) => {
      const observer = new PerformanceObserver(() => {});
      observer.observe({ type, buffered: true });
      return observer.takeRecords();
    };
    return {
      firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      largestPaintMs: entriesOf('largest-contentful-paint').at(-1)?.startTime,
      shift: entriesOf('layout-shift').reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0),
    };
  })
`;

const visit = async (page: Page, devTools: CDPSession, url: string, ready: string): Promise<Visit> => {
  let bytes = 0;
  const count = ({ encodedDataLength }: { readonly encodedDataLength: number }) => {
    bytes += encodedDataLength;
  };
  devTools.on('Network.loadingFinished', count);
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByText(ready).first().waitFor({ state: 'attached' });
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  devTools.off('Network.loadingFinished', count);
  const paints = await page.evaluate<Omit<Visit, 'bytes'>>(readEntries);
  return { ...paints, bytes };
};

/** Two visits with these cookies: the first with an empty cache, the second with what the first has left in it. */
export const visitTwice = async (
  browser: Browser,
  device: Device,
  cookies: Cookies,
  { url, ready }: { readonly url: string; readonly ready: string },
): Promise<{ readonly cold: Visit; readonly warm: Visit }> => {
  const context = await browser.newContext({ viewport: device.viewport, storageState: cookies, locale: 'en-US' });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await limitDevice(devTools, device);
  const cold = await visit(page, devTools, url, ready);
  await page.waitForLoadState('networkidle');
  await page.goto('about:blank');
  const warm = await visit(page, devTools, url, ready);
  await context.close();
  return { cold, warm };
};
