import { setFlagsFromString } from 'node:v8';
import { type CommandHandler, stringOption } from '../session/command.ts';
import { extensionFailed, loadExtension } from '../serve/extension.ts';
import { exitOnSignal } from '../serve/exit-signals.ts';
import { serve as startServer } from '../serve/server.ts';
import { fail, failWithProblems } from '../output/cli-error.ts';
import { endOnCrash } from '../telemetry/crash.ts';
import { jsonLines } from '../telemetry/log.ts';

/** Serves until SIGTERM, SIGINT or SIGHUP, then finishes the requests in flight. Returns the exit code. */
export const serve: CommandHandler = async (context) => {
  const { loaded, json } = context;
  const log = jsonLines(loaded.settings.log.level);
  endOnCrash(log);
  const stopExiting = exitOnSignal();
  const file = stringOption(context, 'with');
  const extension = await loadExtension(file);
  if (extension.isErr()) return fail(extension.error, context);
  try {
    const started = await startServer({ ...loaded, ...extension.value, log, signals: true });
    stopExiting();
    if (started.isErr()) return failWithProblems(started.error.message, started.error.problems, json);
    // Not earlier: V8 rejects the compiled code that other commands have cached, because they do not set the flag.
    allocateInYoungGeneration();
    const { url, serves, closed } = started.value;
    process.stdout.write(json ? `${JSON.stringify({ url, serves })}\n` : `portico listens on ${url}\n`);
    await closed;
    return 0;
  } catch (error) {
    if (file === undefined) throw error;
    return fail(extensionFailed(file, error), context);
  }
};

/**
 * Without this, V8 allocates objects of kinds that survived a busy moment directly in the old generation. There they keep the
 * requests that they refer to until a full garbage collection, and each minor collection takes four times as long
 * (docs/decisions/0167).
 */
const allocateInYoungGeneration = (): void => setFlagsFromString('--no-allocation-site-pretenuring');
