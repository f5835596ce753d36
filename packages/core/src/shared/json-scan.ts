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
 * Whether any field in JSON text has a name that `matches`. Scans the text, because the parsed value hides fields whose
 * name is repeated.
 */
export const hasName = (text: string, matches: (name: string) => boolean): boolean => {
  const colon = /\s*:/y;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    const opened = at;
    at = endOfString(text, opened);
    colon.lastIndex = at + 1;
    if (colon.test(text) && matches(JSON.parse(text.slice(opened, at + 1)) as string)) return true;
  }
  return false;
};

const [quote, backslash, bracket, brace] = [0x22, 0x5c, 0x5b, 0x7b] as const;

/** Returns the index of the closing quote of a string in JSON text, which follows an even number of backslashes. */
export const endOfString = (text: string, opened: number): number => {
  for (let at = text.indexOf('"', opened + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
};
