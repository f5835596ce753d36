/** The maximum length of an access token, in bytes. */
export const maxAccessTokenBytes = 8192;

const threeSegments = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Whether a token is syntactically a JWS in compact serialization (RFC 7515, section 7.1) of at most `maxAccessTokenBytes`: three
 * segments of base64url without padding, in which the unused bits of the last character are zero (RFC 4648, sections
 * 3.5 and 5).
 */
export const isCompactJws = (token: string): boolean => {
  if (token.length > maxAccessTokenBytes || !threeSegments.test(token)) return false;
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  return (
    hasZeroUnusedBits(token, 0, first) &&
    hasZeroUnusedBits(token, first + 1, second) &&
    hasZeroUnusedBits(token, second + 1, token.length)
  );
};

/** The characters that may end a segment, by its length modulo 4. Undefined: any. Empty: an impossible length. */
const allowedLastCharacters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048'];

const hasZeroUnusedBits = (token: string, start: number, end: number): boolean =>
  allowedLastCharacters[(end - start) % 4]?.includes(token.charAt(end - 1)) ?? true;
