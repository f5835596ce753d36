import { apiPages } from './api.ts';
import { clientBodies } from './client-bodies.ts';
import { commandsPage } from './commands.ts';
import { decisionsPage } from './decisions.ts';
import { errorsPage } from './errors.ts';
import { metricsPage } from './metrics.ts';
import { settingsPage } from './settings.ts';

/** Returns the generated pages and sources by path. Decisions come from the given folder, everything else from this project. */
export const references = async (root: string): Promise<Readonly<Record<string, string>>> => ({
  'docs/reference/settings.md': settingsPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/metrics.md': metricsPage(),
  'docs/reference/cli.md': commandsPage(),
  'packages/client/src/routes/bodies.ts': clientBodies(),
  ...apiPages(),
  'docs/reference/decisions.md': decisionsPage(root),
});
