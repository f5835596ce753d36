import { type DownstreamName, downstreamPaths } from '@portico/adapters-http';
import { type Control, startControl } from './control.ts';
import { type FaultyServer, startFaultyServer } from './faults.ts';
import { type SeedMember, seedMembers } from './seed/members.ts';
import { type IdentityProvider, type SandboxUser, startIdentityProvider } from './services/identity.ts';
import { standIns } from './services.ts';

/** The outside world, running on loopback. */
export interface Sandbox {
  readonly members: readonly SeedMember[];
  readonly identity: IdentityProvider;
  readonly services: Readonly<Record<DownstreamName, FaultyServer>>;
  readonly control: Control;
  /** The settings that point Portico at this world, as environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** An access token of the member who signs in under this name. */
  token(username: string): Promise<string>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** The identity provider's port; the six services and the fault switch take the seven after it. Default: any free ones. */
  readonly firstPort?: number;
  readonly redirectUris?: readonly string[];
}

const names = Object.keys(downstreamPaths) as DownstreamName[];

export const startSandbox = async ({ firstPort = 0, redirectUris }: SandboxOptions = {}): Promise<Sandbox> => {
  const members = await seedMembers();
  const running: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(running.map((one) => one.close()));
  };
  const started = async <T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const one = await starting;
    running.push(one);
    return one;
  };
  const port = (index: number) => (firstPort === 0 ? 0 : firstPort + index);
  try {
    const identity = await started(
      startIdentityProvider({ users: members, port: port(0), ...(redirectUris && { redirectUris }) }),
    );
    const listeners = standIns(identity.issuer, members);
    const services = Object.fromEntries(
      await Promise.all(
        names.map(async (name, index) => [
          name,
          await started(startFaultyServer(listeners[name], { port: port(index + 1) })),
        ]),
      ),
    ) as Record<DownstreamName, FaultyServer>;
    const control = await started(startControl(services, port(names.length + 1)));
    return {
      members,
      identity,
      services,
      control,
      environment: {
        IDENTITY_ISSUER: identity.issuer,
        IDENTITY_AUDIENCE: 'portico',
        ...Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_URL`, services[name].url])),
      },
      token: (username) => tokenOf(identity, members, username),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** An access token by the password grant. */
export const tokenOf = async (
  { tokenUrl }: IdentityProvider,
  users: readonly SandboxUser[],
  username: string,
): Promise<string> => {
  const password = users.find((user) => user.username === username)?.password ?? '';
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'portico-cli', username, password }),
  });
  const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`The sandbox gave ${username} no token (${answer.status}).`);
  return token;
};
