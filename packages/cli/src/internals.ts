/**
 * Exports for the generator of the reference pages and for tests. Not covered by semantic versioning: use the command instead.
 */
export { exitCodes } from './output/exit-code.ts';
export { createMetrics } from './telemetry/metrics/metrics.ts';
export { buildProgram } from './program/program.ts';
export { doctorDefaults, initDefaults } from './session/option-defaults.ts';
export { run as runCommand } from './program/run.ts';
export { settingsSchema } from './settings/schema.ts';
export { variables } from './settings/variables.ts';
