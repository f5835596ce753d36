/** Checks one byte after the other. Takes a third of the time of parsing, and allocates no garbage. */
export const scanByBytes = (bytes: Uint8Array): boolean => {
  const end = bytes.length;
  /** The stack of open brackets: `{` or `[`. */
  let open: Uint8Array = shallow;
  let depth = 0;
  let at = skipWhitespace(bytes, 0);
  for (;;) {
    const first = bytes[at];
    if (first === brace || first === bracket) {
      at = skipWhitespace(bytes, at + 1);
      if (bytes[at] !== first + 2) {
        if (depth === open.length) open = deeper(open);
        open[depth++] = first;
        if (first === brace) at = skipName(bytes, at);
        if (at < 0) return false;
        continue;
      }
      at++;
    } else {
      at = skipScalar(bytes, at);
      if (at < 0) return false;
    }
    // A value has ended, and possibly the arrays and objects that contain it.
    for (;;) {
      at = skipWhitespace(bytes, at);
      if (depth === 0) return at === end;
      const opened = open[depth - 1]!;
      const mark = bytes[at++];
      if (mark === comma) {
        at = skipWhitespace(bytes, at);
        if (opened === brace) at = skipName(bytes, at);
        if (at < 0) return false;
        break;
      }
      if (mark !== opened + 2) return false;
      depth--;
    }
  }
};

const code = (character: string): number => character.charCodeAt(0);
// The code of a closing bracket is that of its opening bracket plus two.
const [brace, bracket, comma, colon] = [code('{'), code('['), code(','), code(':')];
const [quote, backslash] = [code('"'), code('\\')];
const [minus, plus, point, zero] = [code('-'), code('+'), code('.'), code('0')];
const [smallE, largeE] = [code('e'), code('E')];
const [t, f, n, u] = [code('t'), code('f'), code('n'), code('u')];

const tableOf = (characters: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const character of characters) table[code(character)] = 1;
  return table;
};

const whitespace = tableOf(' \t\n\r');
const digit = tableOf('0123456789');
const hexDigit = tableOf('0123456789abcdefABCDEF');
const escaped = tableOf('"\\/bfnrt');
/** Characters that need no escape in a string. */
const plain = new Uint8Array(256).fill(1);
plain.fill(0, 0, 0x20);
plain[quote] = plain[backslash] = 0;

const shallow = new Uint8Array(64);

const deeper = (open: Uint8Array): Uint8Array => {
  const larger = new Uint8Array(open.length * 2);
  larger.set(open);
  return larger;
};

// Each function below returns the index after what it skipped, or -1. Past the end `bytes[at]` is undefined, which
// matches no table.

const skipWhitespace = (bytes: Uint8Array, at: number): number => {
  while (at < bytes.length && whitespace[bytes[at]!] === 1) at++;
  return at;
};

/** Skips a quoted name, its colon, and the whitespace around the colon. */
const skipName = (bytes: Uint8Array, at: number): number => {
  if (bytes[at] !== quote) return -1;
  const end = skipString(bytes, at + 1);
  if (end < 0) return -1;
  const mark = skipWhitespace(bytes, end);
  return bytes[mark] === colon ? skipWhitespace(bytes, mark + 1) : -1;
};

const skipScalar = (bytes: Uint8Array, at: number): number => {
  switch (bytes[at]) {
    case quote:
      return skipString(bytes, at + 1);
    case t:
      return skipWord(bytes, at, 'true');
    case f:
      return skipWord(bytes, at, 'false');
    case n:
      return skipWord(bytes, at, 'null');
    default:
      return skipNumber(bytes, at);
  }
};

const skipWord = (bytes: Uint8Array, at: number, word: string): number => {
  for (let nth = 0; nth < word.length; nth++) if (bytes[at + nth] !== word.charCodeAt(nth)) return -1;
  return at + word.length;
};

const skipString = (bytes: Uint8Array, from: number): number => {
  const end = bytes.length;
  let at = from;
  for (;;) {
    while (at < end && plain[bytes[at]!] === 1) at++;
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] !== backslash || at + 1 >= end) return -1;
    if (escaped[bytes[at + 1]!] === 1) at += 2;
    else if (bytes[at + 1] === u && at + 5 < end && areHexDigits(bytes, at + 2)) at += 6;
    else return -1;
  }
};

const areHexDigits = (bytes: Uint8Array, at: number): boolean =>
  (hexDigit[bytes[at]!]! & hexDigit[bytes[at + 1]!]! & hexDigit[bytes[at + 2]!]! & hexDigit[bytes[at + 3]!]!) === 1;

const skipNumber = (bytes: Uint8Array, from: number): number => {
  let at = bytes[from] === minus ? from + 1 : from;
  at = bytes[at] === zero ? at + 1 : skipDigits(bytes, at);
  if (at > 0 && bytes[at] === point) at = skipDigits(bytes, at + 1);
  if (at > 0 && (bytes[at] === smallE || bytes[at] === largeE)) {
    const isSigned = bytes[at + 1] === plus || bytes[at + 1] === minus;
    at = skipDigits(bytes, at + (isSigned ? 2 : 1));
  }
  return at;
};

/** Skips one or more digits. */
const skipDigits = (bytes: Uint8Array, from: number): number => {
  let at = from;
  while (at < bytes.length && digit[bytes[at]!] === 1) at++;
  return at > from ? at : -1;
};
