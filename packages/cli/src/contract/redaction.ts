/** Long values do not help to find the reason. */
const maxLength = 400;

/**
 * Creates the redaction of reasons in a report: secrets, locators, tokens and URLs become `***`. In a JSON body, strings
 * are shown only if they are lower-case words, as of a state: the others may be data of a person.
 */
export const redaction = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter(({ length }) => length > 2)
    .toSorted((one, other) => other.length - one.length);
  return (text) => {
    const known = forms.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
    const shown = patterns.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), known);
    const safe = /[[{]/.test(shown) ? shown.replaceAll(jsonString, withoutData) : shown;
    return safe.length > maxLength ? `${safe.slice(0, maxLength)} …` : safe;
  };
};

const patterns: readonly (readonly [RegExp, string])[] = [
  // The bytes of a document.
  [/\b\d{1,3}(?:,\d{1,3}){7,}/g, '***'],
  [/https?:\/\/[^\s"]+/gi, '***'],
  // A JWS in compact form (RFC 7515, section 7.1).
  [/\beyJ[\w-]+\.[\w-]*\.[\w-]*/g, '***'],
  [/("[^"]*locator"\s*:\s*)"(?:[^"\\]|\\.)*"/gi, '$1"***"'],
  [/(locator: expected )("(?:[^"\\]|\\.)*"|[^,]+), got .*/gi, '$1***, got another value'],
];

/** A string, with the colon if it is the name of a field. */
const jsonString = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

const withoutData = (json: string, colon?: string): string =>
  colon !== undefined || /^"(?:[a-z]+(?:[-_][a-z]+)*|\*\*\*)"$/.test(json) ? json : '"…"';
