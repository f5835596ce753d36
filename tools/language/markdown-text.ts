import { blank, breakAt, maskCode, type Passage } from './passage.ts';

const fencedBlocks = /^([ \t]*)(```+|~~~+)[^]*?^[ \t]*\2[^\n]*$/gm;
const linkTargets = /(?<=\])\([^)\n]*\)|^\[[^\]\n]+\]: .*$/gm;
const tags = /<!--[^]*?-->|<\/?[a-z][^>\n]*>/gi;
const newBlocks = /\n[ \t]*\n|\n[ \t]*(?:[-*+]|\d+\.)[ \t]|\n[ \t]*[>#]+|\|/g;

/** The prose of a Markdown file: everything except fenced blocks, inline code, link targets and HTML tags. */
export const markdownText = (source: string): readonly Passage[] => {
  const prose = [fencedBlocks, linkTargets, tags].reduce((text, pattern) => text.replaceAll(pattern, blanked), source);
  return [{ start: 0, text: breakAt(maskCode(prose), newBlocks) }];
};

/** Keeps line breaks: an empty line ends a paragraph. */
const blanked = (match: string): string => match.split('\n').map(blank).join('\n');
