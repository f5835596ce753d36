import { becknRegistry, becknVerifier } from '@portico/adapters-http';
import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { type Handle, json, nack, refusalOf, relay, routesListener } from '../search/routes.ts';
import type { WireProfile } from './profiles.ts';

export interface NetworkGatewaySettings {
  readonly profile: Pick<WireProfile, 'searchPath' | 'parse'>;
  readonly registryUrl: string;
  readonly sellerUrls: readonly string[];
  readonly port?: number;
}

/**
 * Acknowledges a search that its buyer has signed, and forwards it unchanged to every seller. A seller that refuses it is
 * left out: the sellers call the buyer back directly.
 */
export const startNetworkGateway = ({
  profile: { searchPath, parse },
  registryUrl,
  sellerUrls,
  port = 0,
}: NetworkGatewaySettings): Promise<FaultyServer> => {
  const verifier = becknVerifier({ registry: becknRegistry({ url: registryUrl }) });
  const search: Handle = async (bytes, { authorization = '' }) => {
    const envelope = parse(bytes);
    if (!envelope) return nack(400, 'envelope', 'not a search');
    const refusal = await refusalOf(verifier, authorization, bytes, envelope.context.bap_id);
    if (refusal) return refusal;
    for (const url of sellerUrls) void relay(url + searchPath, bytes, { authorization });
    return json({ message: { ack: { status: 'ACK' } } });
  };
  return startFaultyServer(routesListener({ [`POST ${searchPath}`]: search }), { port });
};
