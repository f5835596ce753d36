#!/usr/bin/env node
// Outside dist and without imports: npm links this file before the build, and an old Node must be able to parse it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 20)) {
  process.stderr.write(`create-portico requires Node 22.20 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}
const { main } = await import('../dist/main.js');
await main();
