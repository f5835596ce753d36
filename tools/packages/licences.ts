import { licencesOfInstalled } from './published.ts';

/** Licences that only require attribution. */
const allowed = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0']);

const licences = licencesOfInstalled();
const refused = [...licences].filter(([, licence]) => !allowed.has(licence));
for (const [name, licence] of refused) console.error(`${name}: ${licence}`);
if (refused.length > 0) process.exit(1);
console.log(
  `${licences.size} packages are installed with the published ones; all have one of: ${[...allowed].join(', ')}.`,
);
