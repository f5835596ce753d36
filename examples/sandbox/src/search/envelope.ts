/** The parts of a search envelope that the networks read; the rest is passed on unchanged. */
export interface Envelope {
  readonly context: {
    readonly transaction_id: string;
    readonly message_id: string;
    readonly bap_id: string;
    readonly bap_uri: string;
    readonly domain: string;
    readonly [more: string]: unknown;
  };
  readonly message: { readonly intent: Intent; readonly [more: string]: unknown };
}

export interface Intent {
  readonly item?: { readonly descriptor?: { readonly name?: unknown } };
  readonly tags?: readonly Tag[];
  readonly [more: string]: unknown;
}

/** A tag group of Beckn 1.1. */
export interface Tag {
  readonly descriptor: { readonly code: string };
  readonly list: readonly { readonly descriptor: { readonly code: string }; readonly value: string }[];
}

/** Returns `undefined` if the bytes are not a search. */
export const parseEnvelope = (bytes: Buffer): Envelope | undefined => {
  const value = parseJson(bytes) as Partial<Envelope> | null | undefined;
  const context = value?.context;
  const named = ['transaction_id', 'message_id', 'bap_id', 'bap_uri', 'domain'].every(
    (name) => typeof context?.[name] === 'string',
  );
  const intent = value?.message?.intent;
  return named && context?.['action'] === 'search' && typeof intent === 'object' && intent !== null
    ? (value as Envelope)
    : undefined;
};

/** Turns the search's context into that of the seller's callback. */
export const onSearchContext = (context: Envelope['context'], bppId: string, bppUri: string): Envelope['context'] => ({
  ...context,
  action: 'on_search',
  bpp_id: bppId,
  bpp_uri: bppUri,
  timestamp: new Date().toISOString(),
});

export const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};
