import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The name of the element that has the focus: its label, or its text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim().replace(/\\s+/g, " ")',
  );

/** Runs in the browser: why the member cannot see where the focus is, or that it left the page. */
const lookAtFocus = `(() => {
  const element = document.activeElement;
  if (element === document.body) return 'end';
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) return 'without a focus ring: ' + element.outerHTML;
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return 'outside: ' + element.outerHTML;
  const front = document.elementFromPoint(left + width / 2, top + height / 2);
  return element.contains(front) ? 'visible' : 'covered: ' + element.outerHTML;
})()`;

/** Presses Tab until the focus leaves the page. Expects that each control shows that it has the focus. Returns how many. */
export const tabThrough = async (page: Page): Promise<number> => {
  for (let controls = 0; ; controls++) {
    await page.keyboard.press('Tab');
    const look = await page.evaluate<string>(lookAtFocus);
    if (look === 'end') return controls;
    expect(look).toBe('visible');
  }
};
