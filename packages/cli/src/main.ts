import { run } from './run.ts';

// A server outlives whoever read its log, and `portico config print | head` is no error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), process.env);
// What a downstream still owes after the server has drained would keep the process alive until its deadline.
setTimeout(() => process.exit(), 250).unref();
