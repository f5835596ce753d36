/**
 * Preloaded into `portico serve`: when the process that started it has died, even from SIGKILL, removes the settings
 * file and ends. The parent sends the path of the file.
 */
import { removeSettings } from './settings-file.ts';

let settingsFile: string | undefined;

process.on('message', (path: string) => {
  settingsFile = path;
});
process.once('disconnect', () => {
  // First, while the port is still taken: the next process on this port writes a file of the same name.
  if (settingsFile !== undefined) removeSettings(settingsFile);
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
