import { commandsPage } from './commands.ts';
import { decisionsPage } from './decisions.ts';
import { errorsPage } from './errors.ts';
import { metricsPage } from './metrics.ts';
import { settingsPage } from './settings.ts';

/** The generated pages by their paths. The decisions are those of the given folder, the rest is this project's source. */
export const references = async (root: string): Promise<Readonly<Record<string, string>>> => ({
  'docs/reference/settings.md': settingsPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/metrics.md': await metricsPage(),
  'docs/reference/cli.md': commandsPage(),
  'docs/reference/decisions.md': decisionsPage(root),
});
