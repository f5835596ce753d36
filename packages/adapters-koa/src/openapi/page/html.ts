const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it may stand in an element or in a quoted attribute. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

/** A sentence of ours, in which words between backticks are code. */
export const prose = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

export const paragraphs = (text = ''): string =>
  text
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join('');
