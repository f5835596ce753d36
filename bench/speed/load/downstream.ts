/**
 * The services behind the member routes, and the identity provider's keys (the first argument): prepared responses,
 * chosen by the last segment of the path.
 */
import { responseBytes, wireServer } from './wire.ts';

const jsonOf = (bytes: number): string => {
  const benefit = { code: 'outpatient', name: 'Outpatient care', copay: '25.00', coinsurance: '0.20', network: 'in' };
  const benefits = Array.from({ length: Math.ceil(bytes / JSON.stringify(benefit).length) - 1 }, () => benefit);
  return JSON.stringify({ plan: 'gold', memberSince: '2019-04-01', benefits });
};

const pdfOf = (bytes: number): Buffer => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 0x20)]);

const responses: Readonly<Record<string, Buffer>> = {
  coverage: responseBytes('application/json', jsonOf(1024)),
  accumulators: responseBytes('application/json', jsonOf(102_400)),
  'pdf-2mb': responseBytes('application/pdf', pdfOf(2 * 1024 * 1024)),
  'pdf-100mb': responseBytes('application/pdf', pdfOf(100 * 1024 * 1024)),
  jwks: responseBytes('application/json', process.argv[2] ?? ''),
};
const notFound = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');

const { port } = await wireServer(({ head }, socket) => {
  const path = head.slice(head.indexOf('/'), head.indexOf(' HTTP/'));
  socket.write(responses[path.slice(path.lastIndexOf('/') + 1)] ?? notFound);
});
process.stdout.write(`${JSON.stringify({ port })}\n`);
