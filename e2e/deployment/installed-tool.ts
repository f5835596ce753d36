import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';

/** Servers are in sbin, which is not in the PATH of every user. */
const path = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(delimiter);

/** The environment in which an installed tool is found. */
export const toolEnvironment = { ...process.env, PATH: path };

/** Whether a tool that a test needs is installed. Prints a notice when it is not. */
export const isInstalled = (tool: string): boolean => {
  const { status } = spawnSync('sh', ['-c', `command -v ${tool}`], { env: toolEnvironment });
  if (status !== 0) process.stderr.write(`\nSKIPPED: ${tool} is not installed, and what needs it is not tested\n`);
  return status === 0;
};
