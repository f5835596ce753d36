import type { Checks } from './check.ts';
import { configuredServices } from '../settings/configured-services.ts';
import { signOfLife } from './request.ts';

/** Each service behind the member routes: any HTTP response to a HEAD request of its base URL is a sign of life. */
export const examineServices: Checks = ({ settings, connections, check }) =>
  Promise.all(
    configuredServices(settings).map(([name, { url }]) =>
      check(`${name} service`, (signal) =>
        signOfLife(url, `downstreams.${name}.url`, signal, connections.service(name)),
      ),
    ),
  );
