import { type Sandbox, type SandboxOptions, startSandbox } from '@portico/sandbox';
import { reservePort } from './ports.ts';
import { type Portico, PorticoStartError, startPortico } from './portico.ts';

/** Sandbox and `portico serve` together, as the end-to-end tests want them: on any free ports, and quiet. */
export interface World {
  readonly sandbox: Sandbox;
  readonly portico: Portico;
  /** What `portico serve` has said on stderr so far. */
  readonly log: () => string;
  /** A request to Portico, as the member who signs in under this name. It is aborted after a minute. */
  as(username: string): Promise<(path: string, init?: RequestInit) => Promise<Response>>;
  close(): Promise<void>;
}

export interface WorldOptions extends SandboxOptions {
  /** Settings beside those of the sandbox, section by section. */
  readonly settings?: (sandbox: Sandbox) => Readonly<Record<string, object>>;
  /** Environment of `portico serve` beside our own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Somebody else may take a free port before we listen on it: then another one is tried. */
export const startWorld = async (options: WorldOptions = {}): Promise<World> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await start(options);
    } catch (error) {
      if (!(error instanceof Error && error.cause instanceof PorticoStartError) || attempt === 3) throw error;
    }
};

const start = async ({ settings, env, ...options }: WorldOptions): Promise<World> => {
  // Sellers must know where to call back before Portico listens.
  const port = await reservePort();
  const sandbox = await startSandbox({
    callbackDelayMs: [5, 20],
    redirectUris: [`http://127.0.0.1:${port}/`],
    ...options,
  });
  let said = '';
  try {
    const own = sandbox.settings(`http://127.0.0.1:${port}`) as Record<string, object>;
    const extra = Object.entries(settings?.(sandbox) ?? {});
    const merged = { ...own, ...Object.fromEntries(extra.map(([name, value]) => [name, { ...own[name], ...value }])) };
    const hear = (text: string) => {
      said += text;
    };
    const portico = await startPortico(merged, port, hear, undefined, env);
    return {
      sandbox,
      portico,
      log: () => said,
      as: async (username) => {
        const authorization = `Bearer ${await sandbox.token(username)}`;
        return (path, { headers, ...init } = {}) =>
          fetch(portico.url + path, {
            signal: AbortSignal.timeout(60_000),
            ...init,
            headers: { authorization, ...(headers as Record<string, string>) },
          });
      },
      close: async () => {
        await portico.stop();
        await sandbox.close();
      },
    };
  } catch (error) {
    await sandbox.close();
    throw new Error(`portico serve did not start: ${said}`, { cause: error });
  }
};
