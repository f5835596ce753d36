#!/usr/bin/env node
// Kept outside dist and free of imports: npm links it before anything is built, and an old Node must still be able to read it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 20)) {
  process.stderr.write(`portico needs Node 22.20 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(2);
}
await import('../dist/main.js');
