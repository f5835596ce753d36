import { type LegEvent, readOffers } from '@portico/core';
import { legError, sellerErrors } from './leg-error.ts';
import { mark, type Progress, progress } from '../../output/progress.ts';
import { stripControlCharacters } from '../../output/screen.ts';

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/**
 * Shows a line per settled leg and, on a terminal only, a spinner and the seconds for each leg that is still pending.
 * `listLegs` returns the ids of the legs; it is only called on a terminal.
 */
export const searchProgress = (listLegs: () => Promise<readonly string[]>) => {
  const shown = progress();
  const startedAt = performance.now();
  const settled = new Set<string>();
  const pending = new Set<string>();
  const showPending = () => {
    const elapsedMs = performance.now() - startedAt;
    const frame = spinner[Math.floor(elapsedMs / frameMs) % spinner.length];
    const seconds = `${Math.floor(elapsedMs / 1000)} s`.padStart(8);
    const names = pending.size > 0 ? [...pending] : ['searching …'];
    shown.waiting(...names.map((name) => `${frame} ${stripControlCharacters(name)} ${seconds}`));
  };
  const timer = shown.isLive ? setInterval(showPending, frameMs) : undefined;
  if (shown.isLive)
    void listLegs().then((legs) => {
      for (const leg of legs) if (!settled.has(leg)) pending.add(leg);
    });
  showPending();
  return {
    leg: (event: LegEvent) => {
      settled.add(event.leg);
      pending.delete(event.leg);
      shown.line(legLine(event, shown));
    },
    end: () => {
      clearInterval(timer);
      shown.end();
    },
  };
};

const legLine = (event: LegEvent, shown: Progress): string => {
  const { leg, result, trace } = event;
  const error = legError(event);
  const failed = sellerErrors(event).length;
  const offers = countOf(readOffers(result).length, 'offer');
  const outcome = error ?? (failed === 0 ? offers : `${offers}, ${countOf(failed, 'seller')} failed`);
  return `${mark(error ? 'bad' : 'good', shown)} ${stripControlCharacters(leg)} ${`${trace.elapsed_ms} ms`.padStart(8)}  ${stripControlCharacters(outcome)}`;
};

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
