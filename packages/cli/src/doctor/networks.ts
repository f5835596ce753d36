import type { CheckResult, Checks, Examination } from './check.ts';
import type { Connections } from '../connection/connections.ts';
import { signOfLife } from './request.ts';

/** Each leg's gateway, and the registry. */
export const examineNetworks: Checks = ({ settings: { search }, connections: { common }, check }) =>
  Promise.all([
    ...Object.entries(search.legs ?? {}).map(([id, { gatewayUrl }]) =>
      check(`gateway of leg ${id}`, (signal) => signOfLife(gatewayUrl, `search.legs.${id}.gatewayUrl`, signal, common)),
    ),
    ...(search.registryUrl === null ? [] : [registryCheck(search.registryUrl, check, common)]),
  ]);

const registryCheck = (url: string, check: Examination['check'], common: Connections['common']): Promise<CheckResult> =>
  check('registry', (signal) => signOfLife(url, 'search.registryUrl', signal, common));
