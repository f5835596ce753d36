export type { Fault, FaultyServer, RecordedRequest } from './faults.ts';
export type { SeedDocument, SeedMember } from './seed/members.ts';
export { type FormBrowser, formBrowser } from './identity-provider/form-browser.ts';
export { type IdentityProvider, startIdentityProvider } from './identity-provider/identity.ts';
export type { Seller, SellerBehaviour, SellerFault } from './search/seller-behaviour.ts';
export { type LegSettings, type SearchNetworks, startSearchNetworks } from './search.ts';
export { type SellerNetwork, type SellerNetworkOptions, startSellerNetwork } from './network/network.ts';
export type { WireProfileName } from './network/profiles.ts';
export { type Sandbox, type SandboxOptions, sandboxPorts, startSandbox } from './sandbox.ts';
