/**
 * Whether a published RSA key is so weak that others can sign with it: a public exponent of 1, an even one, or the ROCA
 * fingerprint (CVE-2017-15361). jose itself rejects fewer than 2,048 bits.
 */
export const isWeakKey = (jwk: unknown): boolean => {
  const { kty, n, e } = (jwk ?? {}) as Readonly<Record<string, unknown>>;
  if (kty !== 'RSA' || typeof n !== 'string' || typeof e !== 'string') return false;
  const exponent = integerOf(e);
  return exponent < 3n || exponent % 2n === 0n || hasRocaFingerprint(integerOf(n));
};

const integerOf = (base64url: string): bigint =>
  BigInt(`0x${Buffer.from(base64url, 'base64url').toString('hex') || '0'}`);

/** Nemec et al., "The Return of Coppersmith's Attack", section 3.2: the modulus is a power of 65537 modulo each prime. */
const hasRocaFingerprint = (modulus: bigint): boolean =>
  rocaPowers.every(([prime, powers]) => powers.has(Number(modulus % BigInt(prime))));

const rocaPrimes = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  127, 131, 137, 139, 149, 151, 157, 163, 167,
] as const;

const powersModulo = (prime: number): ReadonlySet<number> => {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power);
  return powers;
};

const rocaPowers = rocaPrimes.map((prime) => [prime, powersModulo(prime)] as const);
