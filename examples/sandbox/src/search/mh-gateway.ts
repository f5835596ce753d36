import { becknRegistry, becknVerifier } from '@portico/adapters-http';
import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { parseEnvelope } from './envelope.ts';
import { routesListener, nack, relay } from './routes.ts';

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
        const signer = await verifier.verify(authorization, bytes);
        if (signer.isErr() && signer.error.kind !== 'unauthenticated')
          return nack(503, 'registry-unavailable', 'the signature cannot be verified now');
        const envelope = parseEnvelope(bytes);
        if (signer.isErr() || signer.value.subscriberId !== envelope?.context.bap_id)
          return nack(401, 'signature', "not signed by the envelope's subscriber", challenge);
        return relay(`${sellerUrl}/search`, bytes, { ...(authorization !== undefined && { authorization }) });
      },
    }),
    { port },
  );
};
