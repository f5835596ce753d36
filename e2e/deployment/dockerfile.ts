import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, matchesGlob, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

/** What a Dockerfile makes, in a folder that represents the root of the image's file system. */
export interface Image {
  readonly root: string;
  readonly workdir: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly healthcheck: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, each on one line. */
export const instructionsOf = (dockerfile: string): readonly Instruction[] =>
  dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
      return { name, text };
    });

/** `A=b C="d e"`. */
const pairsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g), ([, name = '', quoted, plain]) => [
      name,
      quoted ?? plain ?? '',
    ]),
  );

const listOf = (text: string): readonly string[] => JSON.parse(text) as readonly string[];

const emptyImage = (root: string): Image => ({
  root,
  workdir: '/',
  user: 'root',
  env: {},
  labels: {},
  healthcheck: [],
  entrypoint: [],
  cmd: [],
});

/** Where a path of the image is on this machine. */
const placeOf = ({ root, workdir }: Image, path: string): string => join(root, resolve(workdir, path));

export interface BuildOptions {
  /** The folder that COPY takes files from. */
  readonly context: string;
  /** Patterns of files that COPY leaves out. */
  readonly ignored?: readonly string[];
  /** Every stage gets a folder in it. */
  readonly folder: string;
  /** Images that FROM may name. Others are base images: empty folders, with the programs of this machine. */
  readonly images?: Readonly<Record<string, Image>>;
}

const copy = (image: Image, stages: ReadonlyMap<string, Image>, text: string, options: BuildOptions): void => {
  const [, stage, rest = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? [];
  const paths = rest.split(/ +/);
  const target = paths.pop() ?? '';
  const from = stage === undefined ? undefined : stages.get(stage);
  const { context, ignored = [] } = options;
  const isKept = (path: string) => !ignored.some((pattern) => matchesGlob(relative(context, path), pattern));
  for (const path of paths) {
    const source = from === undefined ? join(context, path) : placeOf(from, path);
    const isInto = target.endsWith('/') && !statSync(source).isDirectory();
    const destination = placeOf(image, isInto ? target + basename(path) : target);
    cpSync(source, destination, {
      recursive: true,
      verbatimSymlinks: true,
      ...(from === undefined && { filter: isKept }),
    });
  }
};

const run = async (image: Image, command: string): Promise<void> => {
  // What npm has downloaded before need not be downloaded again.
  const env = { ...process.env, npm_config_prefer_offline: 'true', ...image.env };
  await promisify(execFile)('sh', ['-c', command], { cwd: placeOf(image, '.'), env, maxBuffer: 64 * 1024 * 1024 });
};

/** The image after an instruction that describes it. Those that change its files leave its description. */
const described = (image: Image, { name, text }: Instruction): Image => {
  if (name === 'WORKDIR') return { ...image, workdir: resolve(image.workdir, text) };
  if (name === 'USER') return { ...image, user: text };
  if (name === 'ENV') return { ...image, env: { ...image.env, ...pairsOf(text) } };
  if (name === 'LABEL') return { ...image, labels: { ...image.labels, ...pairsOf(text) } };
  if (name === 'HEALTHCHECK') return { ...image, healthcheck: listOf(text.replace(/^.*? CMD /, '')) };
  if (name === 'ENTRYPOINT') return { ...image, entrypoint: listOf(text) };
  if (name === 'CMD') return { ...image, cmd: listOf(text) };
  if (['ARG', 'FROM', 'COPY', 'RUN', 'EXPOSE'].includes(name)) return image;
  throw new Error(`Unknown instruction ${name}`);
};

/** Performs the steps of a Dockerfile without a container runtime, on the programs of this machine. */
export const buildImage = async (dockerfile: string, options: BuildOptions): Promise<Image> => {
  const stages = new Map<string, Image>(Object.entries(options.images ?? {}));
  const args = new Map<string, string>();
  let stage = '';
  let image = emptyImage(options.folder);
  for (const { name, text: raw } of instructionsOf(dockerfile)) {
    const text = raw.replaceAll(/\$\{(\w+)\}/g, (all, arg: string) => args.get(arg) ?? all);
    if (name === 'ARG') for (const [arg, value] of Object.entries(pairsOf(text))) args.set(arg, value);
    if (name === 'FROM') {
      const [base = '', , as = 'last'] = text.split(/ +/);
      stage = as;
      image = stages.get(base) ?? emptyImage(join(options.folder, stage));
    }
    if (name === 'COPY') copy(image, stages, text, options);
    if (name === 'RUN') await run(image, text);
    image = described(image, { name, text });
    mkdirSync(placeOf(image, '.'), { recursive: true });
    stages.set(stage, image);
  }
  return image;
};

/** The patterns of an ignore file. */
export const ignoredBy = (file: string): readonly string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** A command of the image, as this machine runs it: `node` is the current one, files of the image are in its folder. */
export const commandOf = (
  { root }: Image,
  command: readonly string[],
  files: Readonly<Record<string, string>>,
): readonly [command: string, ...args: string[]] => {
  const [program = '', ...args] = command;
  const place = (arg: string) =>
    files[arg] ?? (existsSync(join(root, arg)) && arg.startsWith('/') ? join(root, arg) : arg);
  return [program === 'node' ? process.execPath : program, ...args.map(place)];
};
