/** A search leg: callbacks arrive at `bapUri`, searches are posted to `gatewayUrl`. */
export const legSettings = (bapUri: string, gatewayUrl: string) => ({
  label: 'A network',
  domain: 'schemes:bench',
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'bench',
  bapId: 'bap.bench.example',
  bapUri,
  gatewayUrl,
});
