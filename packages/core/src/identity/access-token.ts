const maxBytes = 8192;

/** No padding, no blanks, and the unused bits of the last character are zero (RFC 4648, sections 3.5 and 5). */
const segment = '(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?';
const compactJws = new RegExp(`^${segment}\\.${segment}\\.${segment}$`);

/** Whether a token has the form of a JWS in compact serialisation (RFC 7515, section 7.1), of at most 8 KiB. */
export const isCompactJws = (token: string): boolean =>
  token.length <= maxBytes && compactJws.test(token) && !token.startsWith('.') && !/\.(?:\.|$)/.test(token);
