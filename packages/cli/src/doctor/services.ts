import type { Checks } from './check.ts';
import { configuredServices } from '../settings/configured-services.ts';
import { reachable } from './request.ts';

/** Tests whether the base URL of each service responds to a HEAD request; any HTTP status counts. */
export const examineServices: Checks = ({ settings, connections, check }) =>
  Promise.all(
    configuredServices(settings).map(([name, { url }]) =>
      check(`${name} service`, (signal) =>
        reachable(url, `downstreams.${name}.url`, signal, connections.service(name)),
      ),
    ),
  );
