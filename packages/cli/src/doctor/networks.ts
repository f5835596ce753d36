import type { CheckResult, Checks, Examination } from './check.ts';
import { signOfLife } from './request.ts';

/** Each leg's gateway, and the registry. */
export const examineNetworks: Checks = ({ settings: { search }, check }) =>
  Promise.all([
    ...Object.entries(search.legs ?? {}).map(([id, { gatewayUrl }]) =>
      check(`gateway of leg ${id}`, (signal) => signOfLife(gatewayUrl, `search.legs.${id}.gatewayUrl`, signal)),
    ),
    ...(search.registryUrl === null ? [] : [registryCheck(search.registryUrl, check)]),
  ]);

const registryCheck = (url: string, check: Examination['check']): Promise<CheckResult> =>
  check('registry', (signal) => signOfLife(url, 'search.registryUrl', signal));
