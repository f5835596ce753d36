/**
 * Whether JSON text nests deeper than `limit`. Scans the text before it is parsed: a few megabytes of brackets take
 * most of a second to parse, and the parsed value hides what a repeated key replaces. For text that is not valid JSON
 * the result is meaningless.
 */
export const nestsDeeperThan = (limit: number, text: string): boolean => {
  let depth = 0;
  for (let at = 0; at < text.length; at++)
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case bracket:
      case brace:
        if (++depth > limit) return true;
        break;
      case bracket + 2:
      case brace + 2:
        depth--;
    }
  return false;
};

/**
 * Removes every field whose name `matches` from JSON text, at any depth, and keeps the rest as it is written. Scans the
 * text, because the parsed value hides fields whose name is repeated, and loses digits of big numbers.
 */
export const withoutFields = (text: string, matches: (name: string) => boolean): string => {
  const colon = /\s*:/y;
  let kept = '';
  let from = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    const opened = at;
    at = endOfString(text, opened);
    colon.lastIndex = at + 1;
    if (!colon.test(text) || !matches(JSON.parse(text.slice(opened, at + 1)) as string)) continue;
    at = endOfValue(text, colon.lastIndex);
    let before = opened - 1;
    while (isWhitespace(text.charCodeAt(before))) before--;
    // With the comma before it; the first field of those that are kept, with the one after it.
    const isFirst = before < from || text.charCodeAt(before) !== comma;
    kept += text.slice(from, isFirst ? opened : before);
    from = isFirst && text.charCodeAt(at) === comma ? at + 1 : at;
  }
  return from === 0 ? text : kept + text.slice(from);
};

const [quote, comma, backslash, bracket, brace] = [0x22, 0x2c, 0x5c, 0x5b, 0x7b] as const;

/** Whether it is whitespace between JSON tokens: a tab, a line break or a space. */
const isWhitespace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** Returns the index of the closing quote of a string in JSON text, which follows an even number of backslashes. */
export const endOfString = (text: string, opened: number): number => {
  for (let at = text.indexOf('"', opened + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
};

/** Returns the index of the comma or bracket after a value. */
export const endOfValue = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at++)
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case bracket:
      case brace:
        depth++;
        break;
      case bracket + 2:
      case brace + 2:
        if (depth-- === 0) return at;
        break;
      case comma:
        if (depth === 0) return at;
    }
  return text.length;
};
