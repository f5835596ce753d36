import { describe, expect, it } from 'vitest';
import { demoArguments } from './arguments.ts';

describe('npm start', () => {
  it('prints commands to paste only with --examples', () => {
    expect([demoArguments([]), demoArguments(['--examples'])]).toEqual([
      { withExamples: false },
      { withExamples: true },
    ]);
  });

  it.each(['--help', '-h'])('prints its help instead of a start with %s', (option) => {
    expect(demoArguments([option])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Usage: npm start[^]+--examples[^]+default: 8080[^]+default: 8090/) as string,
    });
  });

  it.each(['--example', 'examples'])('refuses the unknown argument %s with exit code 2', (argument) => {
    expect(demoArguments([argument])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(new RegExp(`'${argument}'[^]+Usage: npm start`)) as string,
    });
  });
});
