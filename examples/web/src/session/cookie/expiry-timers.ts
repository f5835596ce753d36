const noticeMs = 2 * 60_000;

/** Enough time to extend a session (WCAG 2.2, success criterion 2.2.1). */
const minNoticeMs = 20_000;

/** With a longer delay, `setTimeout` calls its function at once. */
const maxDelayMs = 2 ** 31 - 1;

/** How often the end is reported again, until the session has been read. */
const repeatMs = 30_000;

/**
 * Calls `onSoon` two minutes before a session ends. If less than four minutes are left, it waits for half of them: otherwise the
 * extension of a short session would be announced at once. Calls `onEnd` a second after the end, and again every 30 seconds.
 * Returns a function that cancels both. An end that is more than 24 days away has no timers: by then, the session has been
 * extended or read again.
 */
export const startExpiryTimers = (endsAt: number, onSoon: () => void, onEnd: () => void): (() => void) => {
  const left = endsAt - Date.now();
  if (left + 1000 > maxDelayMs) return () => {};
  const notice = Math.min(noticeMs, Math.max(left / 2, minNoticeMs));
  const soon = setTimeout(onSoon, Math.max(0, left - notice));
  let end = setTimeout(report, Math.max(1000, left + 1000));
  function report() {
    onEnd();
    end = setTimeout(report, repeatMs);
  }
  return () => [soon, end].forEach(clearTimeout);
};
