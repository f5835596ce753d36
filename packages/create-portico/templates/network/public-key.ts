import { createPrivateKey, createPublicKey } from 'node:crypto';

// Prints the public key of SIGNING_KEY, for the registry of the network. The prefix makes a PKCS #8 key of the seed (RFC 8410).
const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const seed = Buffer.from(process.env['SIGNING_KEY'] ?? '', 'base64');
if (seed.length !== 32) throw new Error('SIGNING_KEY must be base64 of 32 bytes.');
const key = createPublicKey(createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' }));
const { x = '' } = key.export({ format: 'jwk' });
console.log(Buffer.from(x, 'base64url').toString('base64'));
