import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import loadWabt from 'wabt';

/**
 * `node tools/wasm.ts [write]`: assembles each WebAssembly text into a TypeScript file beside it, in base64. Without `write`,
 * fails if a file differs.
 */
const root = resolve(import.meta.dirname, '..');
const sources = ['packages/adapters-http/src/json/vector-scanner.wat'];

const wabt = await loadWabt();

const assemble = (source: string): string => {
  const text = readFileSync(resolve(root, source), 'utf8');
  const parsed = wabt.parseWat(source, text, { simd: true });
  parsed.validate();
  const bytes = Buffer.from(parsed.toBinary({}).buffer);
  return `// Assembled from ${source} by \`node tools/wasm.ts write\`.\nexport const assembled =\n  '${bytes.toString('base64')}';\n`;
};

let differing = 0;
for (const source of sources) {
  const target = source.replace(/wat$/, 'wasm.ts');
  const text = assemble(source);
  if (process.argv[2] === 'write') writeFileSync(resolve(root, target), text);
  else if (readFileSync(resolve(root, target), 'utf8') !== text) {
    differing++;
    console.error(`${target} is not assembled from ${source}: run node tools/wasm.ts write.`);
  }
}
process.exitCode = differing > 0 ? 1 : 0;
