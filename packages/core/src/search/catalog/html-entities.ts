/** The entities that occur in catalogs (HTML, section 13.5), each before its character. */
const namesAndCharacters = `
  amp& lt< gt> quot" apos' lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ laquo« raquo» ndash– mdash— hellip… bull•
  middot· copy© reg® trade™ deg° plusmn± times× divide÷ frac12½ frac14¼ frac34¾ microµ sect§ cent¢ pound£ yen¥
  euro€ agraveà aacuteá acircâ atildeã aumlä aringå aeligæ ccedilç egraveè eacuteé ecircê eumlë iacuteí icircî
  ntildeñ oacuteó ocircô otildeõ oumlö oslashø szligß uacuteú ucircû uumlü AgraveÀ AacuteÁ AumlÄ AringÅ AEligÆ
  CcedilÇ EacuteÉ NtildeÑ OacuteÓ OumlÖ OslashØ UacuteÚ UumlÜ
`;

/** The character of each entity. A no-break space becomes a space. */
const named: ReadonlyMap<string, string> = new Map([
  ...namesAndCharacters.match(/\S+/g)!.map((entity) => [entity.slice(0, -1), entity.slice(-1)] as const),
  ...['nbsp', 'ensp', 'emsp', 'thinsp'].map((name) => [name, ' '] as const),
  ['shy', ''],
]);

const reference = /&(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|([A-Za-z][A-Za-z\d]{1,7}));/g;

/** Decodes HTML entities once: `&amp;lt;` becomes `&lt;`. Unknown ones, and those of control characters, are kept. */
export const decodeEntities = (text: string): string =>
  // Most texts have none.
  text.includes('&')
    ? text.replaceAll(reference, (whole, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return named.get(name) ?? whole;
        return characterOf(hex === undefined ? Number(decimal) : parseInt(hex, 16)) ?? whole;
      })
    : text;

const characterOf = (code: number): string | undefined => {
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (isControl || isSurrogate || code > 0x10ffff) return code === 9 || code === 10 || code === 13 ? ' ' : undefined;
  return code === 0xa0 ? ' ' : String.fromCodePoint(code);
};
