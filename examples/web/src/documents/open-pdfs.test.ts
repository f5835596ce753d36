import { expect, it } from 'vitest';
import { closePdfs, showPdf } from './open-pdfs.ts';

const openTab = () => {
  const tab = { closed: false, location: { href: 'about:blank' }, close: () => void (tab.closed = true) };
  return tab as unknown as Window;
};

const pdf = new Blob(['%PDF'], { type: 'application/pdf' });

it('a PDF is shown in its tab until sign-out', async () => {
  const tab = openTab();
  await showPdf(tab, async () => pdf);
  expect([tab.location.href, tab.closed]).toEqual([expect.stringMatching(/^blob:/), false]);
  closePdfs();
  expect(tab.closed).toBe(true);
});

it('a PDF that arrives after sign-out is not shown', async () => {
  const tab = openTab();
  const response = Promise.withResolvers<Blob>();
  let signal: AbortSignal | undefined;
  const shown = showPdf(tab, (cancelled) => {
    signal = cancelled;
    return response.promise;
  });
  closePdfs();
  response.resolve(pdf);
  await expect(shown).rejects.toThrow('aborted');
  expect([signal?.aborted, tab.location.href]).toEqual([true, 'about:blank']);
});
