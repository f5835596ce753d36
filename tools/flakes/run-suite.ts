import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, openSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export type Load = 'idle' | 'busy';

/** One test that failed in one run. */
export interface Failure {
  readonly file: string;
  /** Its title with those of its `describe` blocks; for a file that could not be run, what happened. */
  readonly test: string;
  readonly load: Load;
  readonly run: number;
  readonly message: string;
  /** The file with everything that the run printed. */
  readonly log: string;
}

interface Suite {
  readonly root: string;
  readonly folders: readonly string[];
  readonly load: Load;
  readonly run: number;
  /** An existing folder. */
  readonly logs: string;
  /** How long the tests of one folder may take. */
  readonly limitMs: number;
  readonly concurrency: number;
}

/** The part of vitest's JSON report that is used here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

interface Manifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

const manifestOf = (root: string, folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** The workspaces whose `test` script is vitest. */
export const testFolders = (root: string): readonly string[] =>
  globSync(
    ['packages/*', 'examples/*', 'e2e', 'tools'].map((folder) => `${folder}/package.json`),
    { cwd: root },
  )
    .map((file) => dirname(file).replaceAll('\\', '/'))
    .filter((folder) => manifestOf(root, folder).scripts?.['test']?.startsWith('vitest') ?? false)
    .toSorted();

/** The folders whose tests `npm test` runs, each in one run of vitest. `.` has those of all packages. */
export const defaultFolders = (root: string): readonly string[] => {
  const { scripts = {} } = manifestOf(root, '.');
  const runs = (task: string) => scripts['test']?.split(' ').includes(task) ?? false;
  return [
    ...(runs('//#test:packages') ? ['.'] : []),
    ...testFolders(root).filter((folder) => runs(`${manifestOf(root, folder).name}#test`)),
  ];
};

/** The arguments for vitest. The tests of all packages have a script of their own. */
const argumentsFor = (root: string, folder: string): readonly string[] =>
  folder === '.'
    ? (manifestOf(root, '.').scripts?.['test:packages'] ?? '').split(' ').slice(1)
    : ['run', '--root', folder];

/** Runs the tests of each folder once, some folders at the same time. */
export const runSuite = async (suite: Suite): Promise<readonly Failure[]> => {
  const waiting = [...suite.folders];
  const failures: Failure[] = [];
  const worker = async (): Promise<void> => {
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift())
      failures.push(...(await runFolder(suite, folder)));
  };
  await Promise.all(Array.from({ length: suite.concurrency }, worker));
  return failures;
};

const running = new Set<ChildProcess>();

/** Kills every test process that is still running, with its children. */
export const endChildren = (): void => {
  for (const child of running) kill(child);
};

/** Each child is the leader of a process group, which includes the processes that its tests start. */
const kill = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};

const runFolder = async (suite: Suite, folder: string): Promise<readonly Failure[]> => {
  const { root, load, run, logs, limitMs } = suite;
  const name = folder === '.' ? 'packages' : folder.replaceAll('/', '-');
  const [log, report] = [join(logs, `${name}.log`), join(logs, `${name}.json`)];
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, [vitest, ...argumentsFor(root, folder), ...reporters], {
    cwd: root,
    detached: true,
    env: { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter) },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  running.add(child);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    kill(child);
  }, limitMs);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  clearTimeout(limit);
  // Processes that a test left running must not disturb the next run.
  kill(child);
  running.delete(child);
  const found = existsSync(report) ? failuresIn(JSON.parse(readFileSync(report, 'utf8')) as Report, root) : [];
  const unexplained = isLate ? `(killed after ${limitMs / 60_000} minutes)` : `(vitest exited with ${exitCode})`;
  const all = exitCode === 0 || found.length > 0 ? found : [{ file: folder, test: unexplained, message: '' }];
  return all.map((failure) => ({ ...failure, load, run, log }));
};

/** A file that could not be loaded has an error message and no tests. */
const failuresIn = ({ testResults }: Report, root: string) =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;
    const failed = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages = [] }) => ({ file, test: fullName, message: failureMessages.join('\n') }));
    return failed.length === 0 && status === 'failed' ? [{ file, test: '(the file failed)', message }] : failed;
  });
