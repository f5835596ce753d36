/** Long values do not help to find the reason. */
const maxLength = 400;

/**
 * Creates the redaction of reasons in a report: secrets, locators, tokens and URLs become `***`. In a JSON body, strings
 * are shown only if they are lower-case words, as of a state, and numbers are not: they may be data of a person. A single
 * value of a body, such as a name, may also be compared.
 */
export const redaction = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter(({ length }) => length > 2)
    .toSorted((one, other) => other.length - one.length);
  return (text) => {
    const known = forms.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
    const shown = patterns.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), known);
    const safe = /[[{]/.test(shown)
      ? shown.replaceAll(jsonString, withoutData).replaceAll(jsonNumber, '$1…')
      : shown.replaceAll(comparison, (compared) => compared.replaceAll(jsonString, withoutText));
    return safe.length > maxLength ? `${safe.slice(0, maxLength)} …` : safe;
  };
};

const patterns: readonly (readonly [RegExp, string])[] = [
  // The bytes of a document.
  [/\b\d{1,3}(?:,\d{1,3}){7,}/g, '***'],
  // Not the backslash of a quote in JSON: all later quotes would be read the wrong way around.
  [/https?:\/\/(?:[^\s"\\]|\\[^\s"])+/gi, '***'],
  // A JWS in compact form (RFC 7515, section 7.1).
  [/\beyJ[\w-]+\.[\w-]*\.[\w-]*/g, '***'],
  [/("[^"]*locator"\s*:\s*)"(?:[^"\\]|\\.)*"/gi, '$1"***"'],
  [/(locator: expected )("(?:[^"\\]|\\.)*"|[^,]+), got undefined/gi, '$1***, but there is no such field'],
  [/(locator: expected )("(?:[^"\\]|\\.)*"|[^,]+), got .*/gi, '$1***, got another value'],
];

/** A string, with the colon if it is the name of a field. */
const jsonString = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** A number in a field or in an array. */
const jsonNumber = /("\s*:\s*|[[,]\s*)-?\d[\d.eE+-]*/g;

const comparison = /: expected .*/gs;

/** Lengths and amounts are shown. */
const withoutText = (string: string): string =>
  /^"-?\d{1,6}(?:\.\d{1,2})?"$/.test(string) ? string : withoutData(string);

const withoutData = (json: string, colon?: string): string => {
  if (colon !== undefined) return fieldName.test(json) ? json : `"…"${colon}`;
  return /^"(?:[a-z]+(?:[-_][a-z]+)*|\*\*\*)"$/.test(json) ? json : '"…"';
};

/** Any other name may be data, such as an e-mail address. */
const fieldName = /^"(?:[A-Za-z@_$][\w$:.-]*|\*\*\*)"/;
