#!/usr/bin/env node
// Outside dist and without imports: npm links this file before the build, and an old Node must be able to parse it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 20)) {
  process.stderr.write(`portico requires Node 22.20 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}
// Node keeps compiled code beside the bundle, unless NODE_COMPILE_CACHE names another folder. A user who can write there could
// also change the bundle, so no mask of this process may open the folder to others. If it cannot write, it starts without.
const { enableCompileCache } = await import('node:module');
const mask = process.umask(0o022);
process.umask(mask | 0o022);
enableCompileCache(`${import.meta.dirname}/../dist/bundle/compiled`);
process.umask(mask);
// The bundle of vite.config.ts: it starts in less than half of the time of dist/main.js.
const { main } = await import('../dist/bundle/main.js');
await main();
