import { spawn, spawnSync } from 'node:child_process';
import { reservePort } from '../ports.ts';

/** Starts a Redis without persistence on loopback, which ends with this process. */
export const startRedis = async () => {
  const port = String(await reservePort());
  const redis = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => redis.kill('SIGTERM'));
  for await (const line of redis.stdout) if (String(line).includes('Ready to accept')) break;
  redis.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    /** Sends a command and returns the reply as text. */
    command: (...args: readonly string[]): string =>
      spawnSync('redis-cli', ['-p', port, ...args], { encoding: 'utf8' }).stdout.trim(),
  };
};
