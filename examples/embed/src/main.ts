import type { AddressInfo } from 'node:net';
import { claimsService } from './service.ts';

const { ISSUER: issuer = '', CLAIMS_URL: claimsUrl = '', PORT: port = '3000' } = process.env;

const server = claimsService({ issuer, claimsUrl }).listen(Number(port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/claims`);
});
process.once('SIGTERM', () => server.close());
