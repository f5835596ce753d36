import { serviceNames, type ServiceName } from '@portico/core';
import { startControl } from './control.ts';
import { type FaultyServer, startFaultyServer } from './faults.ts';
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  type SandboxUser,
  startIdentityProvider,
} from './identity-provider/identity.ts';
import { type SellerNetwork, type SellerNetworkOptions, startSellerNetwork } from './network/network.ts';
import { type SearchNetworks, startSearchNetworks } from './search.ts';
import { type SeedMember, seedMembers } from './seed/members.ts';
import { sandboxServices } from './services.ts';

/** The systems around Portico, running on loopback. */
export interface Sandbox {
  readonly members: readonly SeedMember[];
  readonly identity: IdentityProvider;
  readonly services: Readonly<Record<ServiceName, FaultyServer>>;
  readonly search: SearchNetworks;
  /** The network with many sellers, if it was started. */
  readonly network: SellerNetwork | undefined;
  readonly control: FaultyServer;
  /** The settings file of a Portico with this public base URL, configured for this sandbox. */
  settings(porticoUrl: string): object;
  /** An access token of this user. */
  token(username: string): Promise<string>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /**
   * The identity provider's port; everything else uses the ports after it (`sandboxPorts`). Default: any free ports.
   */
  readonly firstPort?: number;
  /** Range of the delay before a callback, in milliseconds. Default: 800 to 2500. */
  readonly callbackDelayMs?: readonly [least: number, most: number];
  readonly redirectUris?: readonly string[];
  /** Further options of the identity provider. */
  readonly identity?: Pick<IdentityProviderOptions, 'accessTokenSeconds' | 'backchannelLogoutUrl' | 'portalKey'>;
  /** Also starts a network whose sellers call back one by one, and searches it as the leg `care`. Default: no. */
  readonly network?: boolean | Omit<SellerNetworkOptions, 'firstPort' | 'longestDelayMs'>;
}

/** The number of ports: the identity provider, the services, the control API, search (6) and the network (7). */
export const sandboxPorts = 1 + serviceNames.length + 1 + 6 + 7;

export const startSandbox = async ({
  firstPort = 0,
  redirectUris,
  identity: identityOptions,
  callbackDelayMs: delayMs = [800, 2500],
  network: networkOptions = false,
}: SandboxOptions = {}): Promise<Sandbox> => {
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
      startIdentityProvider({
        ...identityOptions,
        users: members,
        port: port(0),
        ...(redirectUris && { redirectUris }),
      }),
    );
    const listeners = sandboxServices(identity.issuer, members);
    const services = Object.fromEntries(
      await Promise.all(
        serviceNames.map(async (name, index) => [
          name,
          await started(startFaultyServer(listeners[name], { port: port(index + 1) })),
        ]),
      ),
    ) as Record<ServiceName, FaultyServer>;
    const search = await started(startSearchNetworks({ delayMs, firstPort: port(serviceNames.length + 2) }));
    const network =
      networkOptions === false
        ? undefined
        : await started(
            startSellerNetwork({
              ...(networkOptions === true ? {} : networkOptions),
              longestDelayMs: delayMs[1],
              firstPort: port(serviceNames.length + 8),
            }),
          );
    const sellers = { moa: search.moa, mh: search.mh, ...network?.sellers };
    const control = await started(startControl(services, sellers, port(serviceNames.length + 1)));
    return {
      members,
      identity,
      services,
      control,
      search,
      network,
      settings: (porticoUrl) => ({
        identity: { issuer: identity.issuer, audience: ['portico'] },
        downstreams: Object.fromEntries(serviceNames.map((name) => [name, { url: services[name].url }])),
        search: {
          legs: { ...legsOf(search, porticoUrl), ...(network && { care: network.leg(porticoUrl) }) },
          registryUrl: search.mh.registry.url,
        },
        // Everything is on this machine.
        proxy: null,
      }),
      token: (username) => tokenOf(identity, members, username),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Callbacks of the `mh` seller are signed and verified; those of the `moa` seller are not signed. */
const legsOf = (search: SearchNetworks, porticoUrl: string) => {
  const { moa, mh } = search.legs(porticoUrl);
  return { moa, mh: { ...mh, verifyCallbacks: true } };
};

/** An access token by the password grant. */
export const tokenOf = async (
  { tokenUrl }: IdentityProvider,
  users: readonly SandboxUser[],
  username: string,
): Promise<string> => {
  const password = users.find((user) => user.username === username)?.password ?? '';
  const response = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'portico-cli', username, password }),
  });
  const { access_token: token } = (await response.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`The sandbox refused a token for ${username} (${response.status}).`);
  return token;
};
