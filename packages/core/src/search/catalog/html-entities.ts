/** The entities that occur in catalogs (HTML, section 13.5). A no-break space becomes a space. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  shy: '',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  micro: 'µ',
  sect: '§',
  cent: '¢',
  pound: '£',
  yen: '¥',
  euro: '€',
  agrave: 'à',
  aacute: 'á',
  acirc: 'â',
  atilde: 'ã',
  auml: 'ä',
  aring: 'å',
  aelig: 'æ',
  ccedil: 'ç',
  egrave: 'è',
  eacute: 'é',
  ecirc: 'ê',
  euml: 'ë',
  iacute: 'í',
  icirc: 'î',
  ntilde: 'ñ',
  oacute: 'ó',
  ocirc: 'ô',
  otilde: 'õ',
  ouml: 'ö',
  oslash: 'ø',
  szlig: 'ß',
  uacute: 'ú',
  ucirc: 'û',
  uuml: 'ü',
  Agrave: 'À',
  Aacute: 'Á',
  Auml: 'Ä',
  Aring: 'Å',
  AElig: 'Æ',
  Ccedil: 'Ç',
  Eacute: 'É',
  Ntilde: 'Ñ',
  Oacute: 'Ó',
  Ouml: 'Ö',
  Oslash: 'Ø',
  Uacute: 'Ú',
  Uuml: 'Ü',
};

const reference = /&(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|([A-Za-z][A-Za-z\d]{1,7}));/g;

/** Decodes HTML entities once: `&amp;lt;` becomes `&lt;`. Unknown ones, and those of control characters, are kept. */
export const decodeEntities = (text: string): string =>
  // Most texts have none.
  text.includes('&')
    ? text.replaceAll(reference, (whole, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
        return characterOf(hex === undefined ? Number(decimal) : parseInt(hex, 16)) ?? whole;
      })
    : text;

const characterOf = (code: number): string | undefined => {
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (isControl || isSurrogate || code > 0x10ffff) return code === 9 || code === 10 || code === 13 ? ' ' : undefined;
  return code === 0xa0 ? ' ' : String.fromCodePoint(code);
};
