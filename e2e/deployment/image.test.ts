import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { pagesDirectory } from '@portico/demo/pages';
import { reservePort } from '@portico/demo/ports';
import { type Sandbox, startSandbox } from '@portico/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { buildImage, commandOf, ignoredBy, type Image } from './dockerfile.ts';
import { project, projectFile } from '../project-file.ts';

// Not part of `npm test`: `.ci/run` runs this file with vitest.image.config.ts.

const file = 'docs/deploy/Dockerfile';
const settingsPath = '/etc/portico/settings.json';

/** The steps download dependencies and compile: on a busy machine that takes minutes. */
const buildTimeout = 600_000;

/** The files of an image, relative to its root. */
const filesOf = ({ root }: Image): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => lstatSync(join(root, name)).isFile());

describe('the image of the Dockerfile', () => {
  let folder: string;
  let sandbox: Sandbox;
  let image: Image;
  let isOffline = false;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portico-image-'));
    sandbox = await startSandbox();
    const ignored = ignoredBy(`${project}${file}.dockerignore`);
    try {
      image = await buildImage(projectFile(file), { context: project, ignored, folder });
    } catch (error) {
      isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(String((error as { stderr?: string }).stderr));
      if (!isOffline) throw error;
      process.stderr.write('\nSKIPPED: npm does not reach its registry, and the image is not tested\n');
    }
  }, buildTimeout);
  afterAll(async () => {
    await sandbox?.close();
    rmSync(folder, { recursive: true });
  });

  beforeEach(({ skip }) => skip(isOffline));

  it('adds less than 45 MB to its base, without sources, tests and development tools', () => {
    const files = filesOf(image);
    const size = files.reduce((sum, name) => sum + lstatSync(join(image.root, name)).size, 0);
    expect(size / 1e6).toBeLessThan(45);
    expect(size / 1e6).toBeGreaterThan(10);
    expect(files.filter((name) => /\.test\.|\.map$|\.d\.ts$|packages\/[\w-]+\/src\//.test(name))).toEqual([]);
    for (const other of ['typescript', 'vite', 'vitest', 'react', 'pdfkit', 'oidc-provider', '@portico/sandbox'])
      expect(files.filter((name) => name.includes(`node_modules/${other}/`))).toEqual([]);
  });

  it('has only files that its user can read, whatever the umask was when the project was cloned', () => {
    const isReadable = (name: string) => (lstatSync(join(image.root, name)).mode & 0o004) !== 0;
    expect(filesOf(image).filter((name) => !isReadable(name))).toEqual([]);
  });

  it('runs as a user that is not root, in production mode, and is labelled', () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.env).toEqual({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '8080',
      NODE_DISABLE_COMPILE_CACHE: '1',
    });
    expect(image.labels).toMatchObject({ 'org.opencontainers.image.title': 'portico' });
    expect(image.labels['org.opencontainers.image.licenses']).toBe(
      (JSON.parse(projectFile('package.json')) as { license: string }).license,
    );
  });

  /** Starts the image as a container runtime does, with this settings file, on a free port. */
  const start = async (of: Image, settings: object) => {
    const settingsFile = join(folder, 'settings.json');
    writeFileSync(settingsFile, JSON.stringify(settings));
    const port = await reservePort();
    const env = { ...of.env, PORT: String(port), LOG_LEVEL: 'warn', PATH: process.env['PATH'] };
    const options = { cwd: join(of.root, of.workdir), env };
    const [command, ...args] = commandOf(of, [...of.entrypoint, ...of.cmd], { [settingsPath]: settingsFile });
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    const [check, ...checkArgs] = commandOf(of, of.healthcheck, {});
    return {
      port,
      isHealthy: () =>
        promisify(execFile)(check, checkArgs, options).then(
          () => true,
          () => false,
        ),
      stop: async () => {
        child.kill('SIGTERM');
        return (await ended) as readonly unknown[];
      },
    };
  };

  it('serves on every address, reports its health, and ends on SIGTERM', async () => {
    const before = filesOf(image);
    const portico = await start(image, sandbox.settings('http://127.0.0.1:8080'));
    // Listening on 127.0.0.1 only would not be reachable at the address of the container.
    const url = `http://127.0.0.2:${portico.port}`;
    expect(await (await fetch(`${url}/livez`)).json()).toEqual({ status: 'alive' });
    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    const authorization = `Bearer ${await sandbox.token('member-a')}`;
    expect((await fetch(`${url}/me/coverage`, { headers: { authorization } })).status).toBe(200);
    expect(await portico.isHealthy()).toBe(true);
    expect(await portico.stop()).toEqual([0, null]);
    expect(await portico.isHealthy()).toBe(false);
    // Its file system may be read-only.
    expect(filesOf(image)).toEqual(before);
  });

  it('serves pages that are added to it', async () => {
    const dockerfile = projectFile('docs/deploy/Dockerfile.pages');
    const withPages = await buildImage(dockerfile, { context: pagesDirectory, folder, images: { portico: image } });
    const directory = join(withPages.root, '/portico/pages');
    const portico = await start(withPages, { ...sandbox.settings('http://127.0.0.1:8080'), pages: { directory } });
    const response = await fetch(`http://127.0.0.1:${portico.port}/`);
    expect(await response.text()).toBe(readFileSync(join(pagesDirectory, 'index.html'), 'utf8'));
    await portico.stop();
  });
});
