import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from './packages.ts';

/**
 * What each published package brings along: how many other packages, and how much is installed in all. Holds the table in
 * the README to it: the numbers of packages exactly, the sizes within a tenth. `--write` writes the table.
 */
interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly link?: boolean;
  readonly resolved?: string;
}

const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** Where a package finds a dependency: below itself, or as far up as it has to go. */
const found = (name: string, from: string): string => {
  const place = join(from, 'node_modules', name);
  const entry = locked[place];
  if (entry) return entry.link ? entry.resolved! : place;
  if (from === '') throw new Error(`package-lock.json has no ${name}.`);
  return found(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
};

const broughtBy = (place: string, seen = new Set<string>()): ReadonlySet<string> => {
  for (const name of Object.keys(locked[place]?.dependencies ?? {})) {
    const dependency = found(name, place);
    if (seen.has(dependency)) continue;
    seen.add(dependency);
    broughtBy(dependency, seen);
  }
  return seen;
};

const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? bytesIn(path) : statSync(path).size;
    })
    .reduce((sum, bytes) => sum + bytes, 0);

interface Packed {
  readonly name: string;
  readonly unpackedSize: number;
}

const packed = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', ...published.map((name) => `--workspace=${name}`)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
) as readonly Packed[] | Readonly<Record<string, Packed>>;
const ownBytes = new Map(Object.values(packed).map(({ name, unpackedSize }) => [name, unpackedSize]));
const placeOf = (name: string): string => name.replace('@portico/', 'packages/');
const bytesOf = (place: string): number =>
  place.startsWith('packages/') ? ownBytes.get(place.replace('packages/', '@portico/'))! : bytesIn(place);

const rows = published.map((name) => {
  const brought = [...broughtBy(placeOf(name))];
  const megabytes = [placeOf(name), ...brought].map(bytesOf).reduce((sum, bytes) => sum + bytes, 0) / 1e6;
  return { name, others: brought.length, megabytes };
});
const table = [
  '| package | brings other packages | installed, in all |',
  '| --- | --- | --- |',
  ...rows.map(({ name, others, megabytes }) => `| \`${name}\` | ${others} | ${megabytes.toFixed(1)} MB |`),
].join('\n');

const readme = readFileSync('README.md', 'utf8');
const place = /(<!-- sizes -->\n)([^]*)(<!-- \/sizes -->)/;
if (process.argv.includes('--write')) {
  writeFileSync('README.md', readme.replace(place, `$1\n${table}\n\n$3`));
  execFileSync('oxfmt', ['README.md']);
} else {
  const said = place.exec(readme)?.[2] ?? '';
  const wrong = rows.filter(({ name, others, megabytes }) => {
    const [, count, size] = new RegExp(`\\| \`${name}\` +\\| (\\d+) +\\| ([\\d.]+) MB`).exec(said) ?? [];
    return Number(count) !== others || Math.abs(Number(size) - megabytes) > Math.max(0.1, megabytes / 10);
  });
  if (wrong.length > 0) {
    console.error(
      `README.md: the table of sizes is wrong for ${wrong.map(({ name }) => name).join(', ')}; node release/sizes.ts --write`,
    );
    console.error(table);
    process.exit(1);
  }
}
