/**
 * The services behind the member routes, and the identity provider's keys (given as the first argument): fixed answers,
 * as fast as they can be had. The path's last part says which.
 */
import { answer, wireServer } from './wire.ts';

const jsonOf = (bytes: number): string => {
  const benefit = { code: 'outpatient', name: 'Outpatient care', copay: '25.00', coinsurance: '0.20', network: 'in' };
  const benefits = Array.from({ length: Math.ceil(bytes / JSON.stringify(benefit).length) - 1 }, () => benefit);
  return JSON.stringify({ plan: 'gold', memberSince: '2019-04-01', benefits });
};

const pdfOf = (bytes: number): Buffer => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 0x20)]);

const answers: Readonly<Record<string, Buffer>> = {
  coverage: answer('application/json', jsonOf(1024)),
  accumulators: answer('application/json', jsonOf(102_400)),
  'pdf-2mb': answer('application/pdf', pdfOf(2 * 1024 * 1024)),
  'pdf-100mb': answer('application/pdf', pdfOf(100 * 1024 * 1024)),
  jwks: answer('application/json', process.argv[2] ?? ''),
};
const unknown = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');

const { port } = await wireServer(({ head }, socket) => {
  const path = head.slice(head.indexOf('/'), head.indexOf(' HTTP/'));
  socket.write(answers[path.slice(path.lastIndexOf('/') + 1)] ?? unknown);
});
process.stdout.write(`${JSON.stringify({ port })}\n`);
