import { becknRegistry, becknVerifier } from '@portico/adapters-http';
import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { parseEnvelope } from './envelope.ts';
import { refusalOf, relay, routesListener } from './routes.ts';

export interface MhGatewaySettings {
  readonly registryUrl: string;
  readonly sellerUrl: string;
  readonly port?: number;
}

const challenge = {
  'www-authenticate': 'Signature realm="gateway.mh.example",headers="(created) (expires) digest"',
};

/** Forwards bytes that the subscriber of the envelope signed. */
export const startMhGateway = ({ registryUrl, sellerUrl, port = 0 }: MhGatewaySettings): Promise<FaultyServer> => {
  const verifier = becknVerifier({ registry: becknRegistry({ url: registryUrl }) });
  return startFaultyServer(
    routesListener({
      'POST /search': async (bytes, { authorization }) => {
        const bapId = parseEnvelope(bytes)?.context.bap_id;
        const refusal = await refusalOf(verifier, authorization, bytes, bapId, challenge);
        return (
          refusal ?? relay(`${sellerUrl}/search`, bytes, { ...(authorization !== undefined && { authorization }) })
        );
      },
    }),
    { port },
  );
};
