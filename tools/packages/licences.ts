import { billOfMaterials } from './published.ts';

/** Licences that only require attribution. */
const allowed = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0']);

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

const licencesOf = ({ licenses = [] }: Component): readonly string[] =>
  licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? 'unknown');

const { components } = JSON.parse(billOfMaterials()) as { readonly components: readonly Component[] };
const refused = components.filter((component) => {
  const licences = licencesOf(component);
  return licences.length === 0 || licences.some((licence) => !allowed.has(licence));
});
for (const component of refused)
  console.error(`${component.name}@${component.version}: ${licencesOf(component).join(', ') || 'no licence'}`);
if (refused.length > 0) process.exit(1);
console.log(
  `${components.length} packages are installed with the published ones; all have one of: ${[...allowed].join(', ')}.`,
);
