import { type Sandbox, type SandboxOptions, startSandbox } from '@portico/sandbox';
import { withSessions } from './pages.ts';
import { reservePort } from './ports.ts';
import { type Portico, PorticoStartError, startPortico } from './portico.ts';

/** The sandbox and `portico serve` for end-to-end tests: on free ports, with captured output. */
export interface Environment {
  readonly sandbox: Sandbox;
  readonly portico: Portico;
  /** Everything that `portico serve` has written to stderr so far. */
  readonly log: () => string;
  /** Returns a function that sends requests to Portico as this user. Requests are aborted after a minute. */
  as(username: string): Promise<(path: string, init?: RequestInit) => Promise<Response>>;
  close(): Promise<void>;
}

export interface EnvironmentOptions extends SandboxOptions {
  /** Signs members in with browser sessions. Default: false. */
  readonly sessions?: boolean;
  /** Settings merged with those of the sandbox, section by section. */
  readonly settings?: (
    sandbox: Sandbox,
  ) => Readonly<Record<string, object>> | Promise<Readonly<Record<string, object>>>;
  /** Environment of `portico serve`, in addition to that of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Tries another port if a free one is taken before `portico serve` listens on it. */
export const startEnvironment = async (options: EnvironmentOptions = {}): Promise<Environment> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await start(options);
    } catch (error) {
      if (!(error instanceof Error && error.cause instanceof PorticoStartError) || attempt === 3) throw error;
    }
};

const start = async ({ settings, env, sessions = false, ...options }: EnvironmentOptions): Promise<Environment> => {
  // Sellers need the callback URL before Portico listens.
  const port = await reservePort();
  const sandbox = await startSandbox({
    callbackDelayMs: [5, 20],
    redirectUris: [`http://127.0.0.1:${port}/`],
    ...options,
  });
  let stderr = '';
  try {
    const url = `http://127.0.0.1:${port}`;
    const ofSandbox = sandbox.settings(url);
    const base = (sessions ? withSessions(ofSandbox, url) : ofSandbox) as Record<string, object>;
    const extra = Object.entries((await settings?.(sandbox)) ?? {});
    const merged = withLongTimeouts({
      ...base,
      ...Object.fromEntries(extra.map(([name, value]) => [name, { ...base[name], ...value }])),
    });
    const hear = (text: string) => {
      stderr += text;
    };
    const portico = await startPortico(merged, port, { onStderr: hear, ...(env && { env }) });
    return {
      sandbox,
      portico,
      log: () => stderr,
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
    throw new Error(`portico serve did not start: ${stderr}`, { cause: error });
  }
};

/** Adds timeouts that are long enough for a machine that stalls for seconds, unless the test sets its own. */
export const withLongTimeouts = ({
  identity,
  search,
  downstreams = {},
  ...others
}: Readonly<Record<string, object>>): object => ({
  ...others,
  identity: { ...longTimeout, ...identity },
  ...(search && { search: { ...longTimeout, ackTimeoutMs: 60_000, ...search } }),
  downstreams: Object.fromEntries(
    Object.entries(downstreams).map(([name, service]) => [name, service && { ...longTimeout, ...service }]),
  ),
});

const longTimeout = { timeoutMs: 60_000 };
