#!/usr/bin/env node
// Outside dist and without imports: npm links this file before the build, and an old Node must be able to parse it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 20)) {
  process.stderr.write(`portico requires Node 22.20 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}
// Node keeps compiled code beside the bundle, unless NODE_COMPILE_CACHE names another folder. Whoever can write there could
// also change the bundle. If this process cannot, it starts without.
const { enableCompileCache } = await import('node:module');
enableCompileCache(`${import.meta.dirname}/../dist/bundle/compiled`);
// The bundle of vite.config.ts: it starts in less than half of the time of dist/main.js.
const { main } = await import('../dist/bundle/main.js');
await main();
