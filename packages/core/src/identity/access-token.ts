const maxBytes = 8192;

const threeSegments = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Whether a token has the form of a JWS in compact serialisation (RFC 7515, section 7.1), of at most 8 KiB: three
 * segments of base64url without padding, in which the unused bits of the last character are zero (RFC 4648, sections
 * 3.5 and 5).
 */
export const isCompactJws = (token: string): boolean => {
  if (token.length > maxBytes || !threeSegments.test(token)) return false;
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  return (
    endsClean(token, 0, first) && endsClean(token, first + 1, second) && endsClean(token, second + 1, token.length)
  );
};

/** By how many characters stand beyond the last whole group of four: which ones the last may be. */
const lastCharacters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048'];

const endsClean = (token: string, start: number, end: number): boolean =>
  lastCharacters[(end - start) % 4]?.includes(token.charAt(end - 1)) ?? true;
