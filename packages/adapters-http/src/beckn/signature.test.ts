import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  becknSigner,
  isCurrent,
  parseSignatureHeader,
  publicKeyOf,
  signatureHeader,
  verifySignature,
} from './signature.ts';

/** Public test vector: beckn/protocol-specifications, docs/BECKN-006 (Hashing Algorithm). */
const publishedDigest = {
  input: 'The quick brown fox jumps over the lazy dog',
  base64: 'qK3Uvd39k+SHfSdG5igXsRY2Sh+nvBSNlQkLxzM7NnP4JAHPeqLkyx7NkCluPxTLVBP47Xe+cwRbE5FM3NapGA==',
};

/** Public test vector: beckn/protocol-specifications, docs/BECKN-006-Signing-Beckn-APIs-In-HTTP-Draft-01.md, step 1. */
const published = {
  subscriberId: 'example-bap.com',
  uniqueKeyId: 'ae3ea24b-cfec-495e-81f8-044aaef164ac',
  body: '{"context":{"domain":"nic2004:60212","country":"IND","city":"Kochi","action":"search","core_version":"0.9.1","bap_id":"bap.stayhalo.in","bap_uri":"https://8f9f-49-207-209-131.ngrok.io/protocol/","transaction_id":"e6d9f908-1d26-4ff3-a6d1-3af3d3721054","message_id":"a2fe6d52-9fe4-4d1a-9d0b-dccb8b48522d","timestamp":"2022-01-04T09:17:55.971Z","ttl":"P1M"},"message":{"intent":{"fulfillment":{"start":{"location":{"gps":"10.108768, 76.347517"}},"end":{"location":{"gps":"10.102997, 76.353480"}}}}}}',
  created: 1641287875,
  expires: 1641291475,
  signingString:
    '(created): 1641287875\n(expires): 1641291475\ndigest: BLAKE-512=b6lf6lRgOweajukcvcLsagQ2T60+85kRh/Rd2bdS+TG/5ALebOEgDJfyCrre/1+BMu5nA94o4DT3pTFXuUg7sw==',
  privateKey: 'lP3sHA+9gileOkXYJXh4Jg8tK0gEEMbf9yCPnFpbldhrAY+NErqL9WD+Vav7TE5tyVXGXBle9ONZi2W7o144eQ==',
  publicKey: 'awGPjRK6i/Vg/lWr+0xObclVxlwZXvTjWYtlu6NeOHk=',
  signature: 'cjbhP0PFyrlSCNszJM1F/YmHDVAWsZqJUPzojnE/7TJU3fJ/rmIlgaUHEr5E0/2PIyf0tpSnWtT6cyNNlpmoAQ==',
  header:
    'Signature keyId="example-bap.com|ae3ea24b-cfec-495e-81f8-044aaef164ac|ed25519",algorithm="ed25519",created="1641287875",expires="1641291475",headers="(created) (expires) digest",signature="cjbhP0PFyrlSCNszJM1F/YmHDVAWsZqJUPzojnE/7TJU3fJ/rmIlgaUHEr5E0/2PIyf0tpSnWtT6cyNNlpmoAQ=="',
};

const { header, created, expires } = published;
const body = Buffer.from(published.body);
const fields = {
  subscriberId: published.subscriberId,
  uniqueKeyId: published.uniqueKeyId,
  created,
  expires,
  signature: Buffer.from(published.signature, 'base64'),
};
const seed = Buffer.from(published.privateKey, 'base64').subarray(0, 32).toString('base64');
/** RFC 8032, section 7.1, test 1. */
const foreign = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';

const keyOf = (base64: string): KeyObject => {
  const key = publicKeyOf(base64);
  if (!key) throw new Error('The key is invalid.');
  return key;
};
const publicKey = keyOf(published.publicKey);

const verifies = (text: string, bytes: Uint8Array = body, key = publicKey) => {
  const parsed = parseSignatureHeader(text);
  return parsed !== undefined && verifySignature(parsed, bytes, key);
};

/** Any character. `fc.string({ unit: 'binary' })` needs seconds to prepare all of them. */
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

describe('the published vectors', () => {
  it('the published vectors have the published digest', () => {
    const signed = becknSigner(published).sign(Buffer.from(publishedDigest.input), 1, 2);
    const { signature } = parseSignatureHeader(signed)!;
    const signingString = `(created): 1\n(expires): 2\ndigest: BLAKE-512=${publishedDigest.base64}`;
    expect(verify(null, Buffer.from(signingString), publicKey, signature)).toBe(true);
  });

  it('the published vectors have the published signing string', () => {
    const { signature } = parseSignatureHeader(becknSigner(published).sign(body, created, expires))!;
    expect(verify(null, Buffer.from(published.signingString), publicKey, signature)).toBe(true);
    expect(Buffer.from(signature).toString('base64')).toBe(published.signature);
  });

  it('produce the published header', () => {
    expect(becknSigner(published).sign(body, created, expires)).toBe(header);
  });

  it('produce the same header with only the seed', () => {
    expect(becknSigner({ ...published, privateKey: seed }).sign(body, created, expires)).toBe(header);
  });

  it('verify within their validity period', () => {
    expect(parseSignatureHeader(header)).toEqual(fields);
    expect(isCurrent(fields, created + 60)).toBe(true);
    expect(verifies(header)).toBe(true);
  });

  it('do not verify when the body was pretty-printed', () => {
    expect(verifies(header, Buffer.from(JSON.stringify(JSON.parse(published.body), undefined, 2)))).toBe(false);
  });
});

describe('a signature', () => {
  it('does not verify a body with one changed byte', () => {
    for (let at = 0; at < body.length; at++) {
      const changed = Buffer.from(body);
      changed[at]! ^= 1;
      expect(verifies(header, changed), `byte ${at}`).toBe(false);
    }
  });

  it.each([
    ['with one more byte', Buffer.concat([body, Buffer.from('\n')])],
    ['with one byte less', body.subarray(0, -1)],
    ['that is empty', Buffer.alloc(0)],
  ])('does not verify a body %s', (_, other) => {
    expect(verifies(header, other)).toBe(false);
  });

  it.each([
    ['created', header.replace('1641287875', '1641287876')],
    ['expires', header.replace('1641291475', '1641291476')],
  ])('covers %s', (_, changed) => {
    expect(parseSignatureHeader(changed)).toBeDefined();
    expect(verifies(changed)).toBe(false);
  });

  it('does not verify with another key', () => {
    expect(verifies(header, body, keyOf(foreign))).toBe(false);
  });

  it.each(['x25519', 'ed448'] as const)('does not verify with a key for %s', (type) => {
    const { publicKey: other } = generateKeyPairSync(type as 'ed448');
    expect(verifySignature(fields, body, other)).toBe(false);
  });

  it('does not verify with an RSA key, even one that signed it', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 512 });
    const signature = sign(null, Buffer.from(published.signingString), rsa.privateKey);
    expect(signature).toHaveLength(64);
    expect(verifySignature({ ...fields, signature }, body, rsa.publicKey)).toBe(false);
  });

  it('a signature is rejected when its scalar is not below the group order (RFC 8032, section 5.1.7)', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalarBytes = fields.signature.subarray(32);
    const scalar = [...scalarBytes].reduceRight((sum, byte) => (sum << 8n) + BigInt(byte), 0n) + order;
    const other = Uint8Array.from({ length: 32 }, (_, at) => Number((scalar >> BigInt(8 * at)) & 255n));
    const signature = Buffer.concat([fields.signature.subarray(0, 32), other]);
    expect(verifySignature({ ...fields, signature }, body, publicKey)).toBe(false);
  });

  it.each([0, 63, 65])('a signature of %i bytes does not verify, and does not throw', (length) => {
    expect(verifySignature({ ...fields, signature: new Uint8Array(length) }, body, publicKey)).toBe(false);
  });
});

describe('the validity period of a signature', () => {
  it.each([
    ['6 s before it is created', created - 6, false],
    ['5.001 s before it is created', created - 5.001, false],
    ['5 s before it is created', created - 5, true],
    ['when it is created', created, true],
    ['when it expires', expires, true],
    ['just after it expires', expires + 0.001, false],
    ['a second after it expires', expires + 1, false],
    ['at an invalid time', NaN, false],
  ])('the validity period of a signature is checked %s', (_, now, current) => {
    expect(isCurrent(fields, now)).toBe(current);
  });

  it('the validity period of a signature is empty when it expires before it is created', () => {
    expect(isCurrent({ ...fields, created: 2000, expires: 1000 }, 1500)).toBe(false);
  });
});

const parts = header.slice('Signature '.length).split(',');
const padded = (length: number) => `${header},pad="${'x'.repeat(length - header.length - 7)}"`;
const withPart = (name: string, part: string) =>
  `Signature ${parts.map((one) => (one.startsWith(`${name}=`) ? part : one)).join(',')}`;

describe('a signature header', () => {
  it.each([
    ['parameters in another order', `Signature ${parts.toReversed().join(',')}`],
    ['spaces after commas', `Signature ${parts.join(', ')}`],
    ['spaces and tabs around commas', `Signature  ${parts.join(' ,\t ')}`],
    ['numbers without quotes', header.replace('"1641287875"', '1641287875').replace('"1641291475"', '1641291475')],
    ['the scheme in lower case', header.replace('Signature', 'signature')],
    ['an unknown parameter', `${header},nonce="a, b=c"`],
    ['an unknown parameter with a digit, "-" and "_" in its name', `${header},x-request_id2="x"`],
    ['an unknown parameter before the known ones', header.replace('keyId', 'request_id="x",keyId')],
    ['a trailing comma', `${header},`],
    ['a trailing comma and a space', `${header} , `],
    ['no spaces between the names of the signed headers', withPart('headers', 'headers="(created)(expires)digest"')],
    ['parameter names in another case', header.replace('keyId', 'keyid').replace('created=', 'Created=')],
  ])('a signature header may have %s', (_, text) => {
    expect(parseSignatureHeader(text)).toEqual(fields);
    expect(verifies(text)).toBe(true);
  });

  it('a signature header may be at most 2 KiB long', () => {
    expect(padded(2048)).toHaveLength(2048);
    expect(parseSignatureHeader(padded(2048))).toEqual(fields);
    expect(parseSignatureHeader(padded(2049))).toBeUndefined();
  });

  it.each([
    ['is empty', ''],
    ['has another scheme', header.replace('Signature', 'Bearer')],
    ['has only the scheme', 'Signature '],
    ['has no scheme', header.slice('Signature '.length)],
    ['has no space after the scheme', header.replace('Signature ', 'Signature')],
    ['has a line break', `${header}\n`],
    ['ends in two commas', `${header},,`],
    ['has a parameter name with a dot', `${header},a.b="x"`],
    ['has two commas in a row', header.replace(',', ',,')],
    ['has a space instead of a comma', header.replace(',', ' ')],
    ['has spaces around an equals sign', header.replace('created=', 'created = ')],
    ['has an unclosed quote', header.slice(0, -1)],
    ['has an unknown algorithm', withPart('algorithm', 'algorithm="xed25519"')],
    ['has an RSA algorithm', withPart('algorithm', 'algorithm="rsa-sha256"')],
    ['has the algorithm hs2019', withPart('algorithm', 'algorithm="hs2019"')],
    ['has a key of another algorithm', header.replace('|ed25519"', '|xed25519"')],
    ['covers fewer headers', withPart('headers', 'headers="(created) digest"')],
    ['covers more headers', withPart('headers', 'headers="(created) (expires) digest host"')],
    ['covers headers in another order', withPart('headers', 'headers="digest (created) (expires)"')],
    [
      'covers the request signature, but not last',
      withPart('headers', 'headers="(created) (expires) request-signature digest"'),
    ],
    ['has a key id of two parts', header.replace('|ed25519"', '"')],
    ['has a key id of four parts', header.replace('|ed25519"', '|ed25519|x"')],
    ['has no subscriber', header.replace('example-bap.com|', '|')],
    ['has no key', header.replace(published.uniqueKeyId, '')],
    ['has a space in the subscriber', header.replace('example-bap.com', 'example bap.com')],
    ['has a non-ASCII subscriber', header.replace('example-bap.com', 'exämple-bap.com')],
    ['has a backslash', header.replace('example-bap.com', String.raw`example\"bap.com`)],
    ['has a time with a fraction', withPart('created', 'created="1641287875.0"')],
    ['has a time before the epoch', withPart('created', 'created="-1"')],
    ['has a time with a sign', withPart('created', 'created="+1641287875"')],
    ['has a time with a leading zero', withPart('created', 'created="01641287875"')],
    ['has a time with an exponent', withPart('created', 'created="1e9"')],
    ['has a time in non-ASCII digits', withPart('created', 'created="١٦٤١٢٨٧٨٧٥"')],
    ['has a time that is not a safe integer', withPart('expires', 'expires="9007199254740993"')],
    ['has an empty time', withPart('expires', 'expires=""')],
    ['has a string without quotes', withPart('algorithm', 'algorithm=ed25519')],
    ['has a truncated signature', header.replace('lpmoAQ==', 'lpmo')],
    ['has a signature of 33 bytes', header.replace(published.signature, published.signature.slice(0, 44))],
    ['has a signature without padding', header.replace('AQ==', 'AQ')],
    ['has a signature with non-zero padding bits', header.replace('AQ==', 'AR==')],
    ['has a signature in base64url', header.replaceAll(/(?<=signature=".*)\//g, '_')],
    ['has a space in the signature', header.replace('cjbh', 'cj bh')],
  ])('a signature header is rejected when it %s', (_, text) => {
    expect(text).not.toBe(header);
    expect(parseSignatureHeader(text)).toBeUndefined();
  });

  it.each(parts)('a signature header is rejected without %s', (part) => {
    expect(parseSignatureHeader(`Signature ${parts.filter((one) => one !== part).join(',')}`)).toBeUndefined();
  });

  it.each([...parts, 'CREATED="1641287875"', 'Keyid="a|b|ed25519"'])(
    'a signature header is rejected when it repeats %s',
    (part) => {
      expect(parseSignatureHeader(`${header},${part}`)).toBeUndefined();
    },
  );

  it('a signature header is rejected when it repeats an unknown parameter', () => {
    expect(parseSignatureHeader(`${header},nonce="1",nonce="1"`)).toBeUndefined();
  });

  it('never makes the parser throw', () => {
    const text = fc.oneof(
      fc.string({ unit: character }),
      fc.array(fc.constantFrom(...parts, ',', ' ', '"', '=', '\\', 'Signature ', '\0')).map((some) => some.join('')),
    );
    fc.assert(
      fc.property(text, (some) => {
        for (const one of [some, `Signature ${some}`, `${header},${some}`]) {
          const parsed = parseSignatureHeader(one);
          if (parsed) expect(parsed).toEqual(fields);
        }
      }),
    );
  });

  it('a signature header has the same values or does not verify after random edits', () => {
    fc.assert(
      fc.property(
        fc.nat(header.length),
        fc.nat(3),
        fc.oneof(fc.constantFrom('', ' ', '"', ',', '|', '0', '='), fc.string({ maxLength: 3 })),
        (at, removed, inserted) => {
          const text = header.slice(0, at) + inserted + header.slice(at + removed);
          const parsed = parseSignatureHeader(text);
          if (!parsed || !verifySignature(parsed, body, publicKey)) return;
          const { subscriberId: _, uniqueKeyId: __, ...signed } = fields;
          expect(parsed).toMatchObject(signed);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('a signer', () => {
  it('creates a valid signature for any key, body and time', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9.:/_-]{1,255}$/);
    const time = fc.nat(4_102_444_800);
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(id, id, bytes, fc.uint8Array(), time, time, (subscriberId, uniqueKeyId, seed, some, from, until) => {
        const privateKey = Buffer.from(seed).toString('base64');
        const signer = becknSigner({ subscriberId, uniqueKeyId, privateKey });
        const parsed = parseSignatureHeader(signer.sign(some, from, until));
        expect(parsed).toMatchObject({ subscriberId, uniqueKeyId, created: from, expires: until });
        expect(signer.subscriberId).toBe(subscriberId);
        const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
        const own = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
        expect([own, publicKey].map((key) => verifySignature(parsed!, some, key))).toEqual([true, false]);
      }),
    );
  });

  it.each([
    ['empty', ''],
    ['not base64', 'not a key at all'],
    ['31 bytes', Buffer.alloc(31, 7).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 7).toString('base64')],
    ['96 bytes', Buffer.alloc(96, 7).toString('base64')],
    ['without padding', seed.replace(/=+$/, '')],
    ['ending in a line break', `${seed}\n`],
    ['in hex', Buffer.from(seed, 'base64').toString('hex')],
  ])('rejects a key that is %s, without quoting it', (_, privateKey) => {
    const error = signerError({ privateKey });
    expect(error).toEqual(
      new TypeError(
        'A signing key must be base64 of a 32-byte Ed25519 seed, or of 64 bytes: the seed, then its public key.',
      ),
    );
    if (privateKey) expect(error.stack).not.toContain(privateKey);
  });

  it('rejects 64 bytes whose public key belongs to another seed, without quoting them', () => {
    const mixed = Buffer.concat([Buffer.from(seed, 'base64'), Buffer.from(foreign, 'base64')]).toString('base64');
    const error = signerError({ privateKey: mixed });
    expect(error).toEqual(
      new TypeError('The last 32 bytes of a 64-byte signing key must be the public key of its seed.'),
    );
    expect(error.stack).not.toContain(mixed);
  });

  it.each(['', 'a b', 'a|b', 'a"b', String.raw`a\b`, 'a\r\nb', 'ä', 'x'.repeat(256)])(
    'rejects the id "%s", which a header cannot contain',
    (id) => {
      expect(signerError({ subscriberId: id }).message).toContain('visible ASCII');
      expect(signerError({ uniqueKeyId: id }).message).toContain('visible ASCII');
    },
  );

  it.each([
    [1.5, 2],
    [-1, 2],
    [1, NaN],
    [1, Infinity],
  ])('rejects the times %s and %s', (from, until) => {
    expect(() => becknSigner(published).sign(body, from, until)).toThrow('whole seconds');
  });
});

const signerError = (settings: Partial<typeof published>): Error => {
  try {
    becknSigner({ ...published, ...settings });
  } catch (error) {
    return error as Error;
  }
  throw new Error('The signer accepted the settings.');
};

const der = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');

describe('a public key', () => {
  it('a public key may be SPKI DER', () => {
    expect(publicKeyOf(der(publicKey))?.equals(publicKey)).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['not base64', 'not a key'],
    ['31 bytes', Buffer.alloc(31).toString('base64')],
    ['a private key', published.privateKey],
    ['without padding', published.publicKey.slice(0, -1)],
    ['in base64url', published.publicKey.replace('/', '_')],
    ['an X25519 key', der(generateKeyPairSync('x25519').publicKey)],
    ['an elliptic-curve key', der(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
    ['DER with one more byte', Buffer.concat([Buffer.from(der(publicKey), 'base64'), Buffer.of(0)]).toString('base64')],
    ['PEM', publicKey.export({ format: 'pem', type: 'spki' }).toString()],
  ])('a public key is rejected when it is %s', (_, text) => {
    expect(publicKeyOf(text)).toBeUndefined();
  });

  it('never makes the reader or the verifier throw', () => {
    const text = fc.oneof(
      fc.string({ unit: character }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.uint8Array({ minLength: 44, maxLength: 44 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    );
    const signature = fc.uint8Array({ minLength: 60, maxLength: 68 });
    fc.assert(
      fc.property(text, signature, (some, bytes) => {
        const key = publicKeyOf(some);
        if (key) expect([true, false]).toContain(verifySignature({ ...fields, signature: bytes }, body, key));
      }),
    );
  });
});

/** Authentication_and_Trust.md (NFH-007), section 3.3, of beckn/protocol-specifications-v2. */
describe('a signature that covers the signature of the request', () => {
  const requestSignature = published.signature;
  const keys = generateKeyPairSync('ed25519');
  const digest = published.signingString.split('\n')[2];
  const text = `(created): 1\n(expires): 2\n${digest}\nrequest-signature: ${requestSignature}`;
  const chained = signatureHeader({
    ...fields,
    created: 1,
    expires: 2,
    signature: sign(null, Buffer.from(text), keys.privateKey),
    isChained: true,
  });
  const parsed = parseSignatureHeader(chained)!;

  it('names four fields in its header', () => {
    expect(chained).toContain('headers="(created) (expires) digest request-signature"');
    expect(parsed.isChained).toBe(true);
  });

  it('verifies only with the signature of the request that was sent', () => {
    expect(verifySignature(parsed, body, keys.publicKey, requestSignature)).toBe(true);
    expect(verifySignature(parsed, body, keys.publicKey, requestSignature.replace('c', 'd'))).toBe(false);
    expect(verifySignature(parsed, body, keys.publicKey)).toBe(false);
    expect(verifySignature(parsed, Buffer.from('other'), keys.publicKey, requestSignature)).toBe(false);
  });

  it('does not verify when the header does not name the fourth field', () => {
    const { isChained: _, ...unchained } = parsed;
    expect(verifySignature(unchained, body, keys.publicKey, requestSignature)).toBe(false);
  });

  it('does not verify over three fields when the header names four', () => {
    const three = sign(null, Buffer.from(`(created): 1\n(expires): 2\n${digest}`), keys.privateKey);
    expect(verifySignature({ ...parsed, signature: three }, body, keys.publicKey)).toBe(false);
    expect(verifySignature({ ...parsed, signature: three }, body, keys.publicKey, requestSignature)).toBe(false);
  });

  it('takes no request signature from the header itself', () => {
    const claimed = parseSignatureHeader(`${chained},request-signature="${requestSignature}"`)!;
    expect(verifySignature(claimed, body, keys.publicKey, 'another')).toBe(false);
  });
});
