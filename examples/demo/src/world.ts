import { type Sandbox, type SandboxOptions, startSandbox } from '@portico/sandbox';
import { type Portico, startPortico } from './portico.ts';

/** Sandbox and `portico serve` together, as the end-to-end tests want them: on any free ports, and quiet. */
export interface World {
  readonly sandbox: Sandbox;
  readonly portico: Portico;
  /** What `portico serve` has said on stderr so far. */
  readonly log: () => string;
  /** A request to Portico, as the member who signs in under this name. Rejects when no answer comes within 5 s. */
  as(username: string): Promise<(path: string, init?: RequestInit) => Promise<Response>>;
  close(): Promise<void>;
}

export const startWorld = async (
  environment: (sandbox: Sandbox) => Readonly<Record<string, string>> = () => ({}),
  options: SandboxOptions = {},
): Promise<World> => {
  const sandbox = await startSandbox(options);
  let said = '';
  try {
    const portico = await startPortico({ ...sandbox.environment, PORT: '0', ...environment(sandbox) }, (text) => {
      said += text;
    });
    return {
      sandbox,
      portico,
      log: () => said,
      as: async (username) => {
        const authorization = `Bearer ${await sandbox.token(username)}`;
        return (path, { headers, ...init } = {}) =>
          fetch(portico.url + path, {
            signal: AbortSignal.timeout(5000),
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
