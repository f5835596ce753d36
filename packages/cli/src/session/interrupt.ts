import { constants } from 'node:os';

/** The signals that end a process in an orderly way: Ctrl-C, a supervisor's, a closed terminal's. */
export const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long a command may take to clean up, so that Ctrl-C ends it within a second. `settleMs` of the journey is less. */
const graceMs = 800;

const saySo = (): void => {
  process.stderr.write('portico: ended before everything could be put in order\n');
};

/**
 * Runs a command so that Ctrl-C, SIGTERM and a closed terminal end it: its signal is aborted, it has a moment to clean
 * up, and the exit code is 128 and the signal's number, as a shell would have it. Where the moment is too short, it says
 * what it left.
 */
export const interruptible = async (
  work: (signal: AbortSignal, onForcedExit: (say: () => void) => void) => Promise<number>,
): Promise<number> => {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let forcedEnd: NodeJS.Timeout | undefined;
  let say = saySo;
  const hear = (name: (typeof endings)[number]) => {
    if (exitCode !== undefined) return;
    exitCode = 128 + constants.signals[name];
    controller.abort();
    forcedEnd = setTimeout(() => {
      say();
      process.exit(exitCode);
    }, graceMs).unref();
  };
  for (const ending of endings) process.on(ending, hear);
  try {
    const result = await work(controller.signal, (own) => {
      say = own;
    });
    return exitCode ?? result;
  } finally {
    clearTimeout(forcedEnd);
    for (const ending of endings) process.off(ending, hear);
  }
};

/** The work, or its end when nobody waits for it any more; what it still asked for is left to the process's end. */
export const unlessAborted = <T>(signal: AbortSignal, work: PromiseLike<T>): Promise<T | 'aborted'> =>
  new Promise((resolve, reject) => {
    const stop = () => resolve('aborted');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    work.then(resolve, reject);
  });
