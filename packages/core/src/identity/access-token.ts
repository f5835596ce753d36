const maxBytes = 8192;

/** No padding, no blanks, and the unused bits of the last character are zero (RFC 4648, sections 3.5 and 5). */
const rest = '(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])';
const segment = `(?:(?:[\\w-]{4})+${rest}?|${rest})`;
const compactJws = new RegExp(`^${segment}\\.${segment}\\.${segment}$`);

/** Whether a token has the form of a JWS in compact serialisation (RFC 7515, section 7.1), of at most 8 KiB. */
export const isCompactJws = (token: string): boolean => token.length <= maxBytes && compactJws.test(token);
