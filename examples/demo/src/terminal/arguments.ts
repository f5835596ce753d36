import { parseArgs } from 'node:util';
import { defaultPorts } from '../port-check.ts';

const usage = `Usage: npm start [-- options]

Starts Portico on sample data: the web pages, the HTTP API, and a sandbox of every system that Portico calls.

Options:
  --examples    also prints all URLs, and commands to paste
  -h, --help    prints this help

Environment variables:
  PORT          port of Portico (default: ${defaultPorts.port})
  SANDBOX_PORT  first port of the sandbox (default: ${defaultPorts.firstPort})
`;

export interface DemoArguments {
  /** Whether to print all URLs, and commands to paste. */
  readonly withExamples: boolean;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Ends the program with this code instead of a start. */
  readonly exitCode?: number;
}

export const demoArguments = (args: readonly string[]): DemoArguments => {
  try {
    const options = { examples: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    return { withExamples: values.examples, ...(values.help && { stdout: usage, exitCode: 0 }) };
  } catch (error) {
    return { withExamples: false, stderr: `${(error as Error).message}\n\n${usage}`, exitCode: 2 };
  }
};
