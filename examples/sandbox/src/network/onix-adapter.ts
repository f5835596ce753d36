import { becknRegistry, becknVerifier } from '@portico/adapters-http';
import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { parseJson } from '../search/envelope.ts';
import type { Subscriber } from '../search/subscriber.ts';
import { type Handle, json, type Reply, relay, routesListener } from '../search/routes.ts';
import type { WireProfile } from './profiles.ts';

export interface OnixAdapterSettings {
  readonly profile: Pick<WireProfile, 'searchPath' | 'callbackPath'>;
  /** The participant that the adapter signs for. */
  readonly buyer: Subscriber;
  readonly registryUrl: string;
  readonly gatewayUrl: string;
  /** The buyer-side application, to which callbacks are forwarded. */
  readonly bapUrl: string;
  readonly port?: number;
}

/**
 * Imitates the buyer side of beckn-onix (Beckn-One/beckn-onix, `core/module/handler/stdHandler.go` and `step.go`, with
 * `config/local-simple.yaml`): `bapTxnCaller` signs a request and forwards it; `bapTxnReceiver` verifies a callback and
 * forwards it with its header. Bodies and responses are not changed.
 */
export const startOnixAdapter = ({
  profile: { searchPath, callbackPath },
  buyer,
  registryUrl,
  gatewayUrl,
  bapUrl,
  port = 0,
}: OnixAdapterSettings): Promise<FaultyServer> => {
  const verifier = becknVerifier({ registry: becknRegistry({ url: registryUrl }) });
  const caller: Handle = (bytes) => {
    const body = parseJson(bytes) as { readonly context?: Readonly<Record<string, unknown>> | null } | null | undefined;
    if (typeof body?.context !== 'object' || body.context === null)
      return { status: 400, body: 'context field not found or invalid.' };
    // The key is looked up by the `bap_id` of the body; there is one of its own participant only.
    const bapId = body.context['bap_id'] ?? body.context['bapId'];
    if (bapId !== buyer.subscriberId) return nack(500, 'Internal Server Error', 'Internal server error');
    return relay(gatewayUrl + searchPath, bytes, { authorization: buyer.sign(bytes) });
  };
  const receiver: Handle = async (bytes, { authorization }) => {
    const signer = await verifier.verify(authorization, bytes);
    if (signer.isErr())
      return nack(401, 'Unauthorized', 'Signature Validation Error: failed to validate Authorization');
    return relay(bapUrl + callbackPath, bytes, { ...(authorization !== undefined && { authorization }) });
  };
  return startFaultyServer(
    routesListener({ [`POST /bap/caller${searchPath}`]: caller, [`POST /bap/receiver${callbackPath}`]: receiver }),
    { port },
  );
};

/** The error is inside `message`, unlike in the specification. */
const nack = (status: number, code: string, message: string): Reply =>
  json({ message: { ack: { status: 'NACK' }, error: { code, message } } }, status);
