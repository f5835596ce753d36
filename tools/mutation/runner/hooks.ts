import { registerHooks } from 'node:module';

const standIn = new URL('./stand-in.ts', import.meta.url).href;

// Test files get the stand-in when they import vitest; the stand-in itself gets vitest.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vitest' && context.parentURL !== standIn
      ? { url: standIn, shortCircuit: true, format: 'module-typescript' }
      : next(specifier, context),
});
