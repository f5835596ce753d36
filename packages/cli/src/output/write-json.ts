/* oxlint-disable no-control-regex -- the pattern matches control characters */

/**
 * Writes JSON to stdout. On a terminal, control characters and direction marks become `\u` sequences, which is the same
 * JSON. A carriage return, which JSON allows between tokens, becomes a space.
 */
export const writeJson = (json: string, stream: NodeJS.WriteStream = process.stdout): void => {
  stream.write(`${stream.isTTY ? forTerminal(json) : json}\n`);
};

const forTerminal = (json: string): string =>
  json
    .replaceAll('\r', ' ')
    .replaceAll(
      /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
      (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
