/**
 * What the generator of the reference pages reads. Not covered by semantic versioning: use the command instead.
 */
export { exitCodeOf } from './exit-code.ts';
export { createMetrics } from './operations/metrics.ts';
export { buildProgram } from './program.ts';
export { settingsSchema } from './settings/schema.ts';
export { variables } from './settings/variables.ts';
