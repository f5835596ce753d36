/** The default path template of each operation (contract, section 2). */
export const downstreamPaths = {
  eligibility: {
    coverage: '/members/{partyLocator}/coverage',
    accumulators: '/members/{partyLocator}/accumulators',
  },
  claims: {
    list: '/members/{partyLocator}/claims',
    submit: '/members/{partyLocator}/claims',
    get: '/members/{partyLocator}/claims/{locator}',
  },
  documents: {
    list: '/members/{partyLocator}/documents',
    get: '/members/{partyLocator}/documents/{locator}',
  },
  policy: {
    profile: '/parties/{partyLocator}',
    patchProfile: '/parties/{partyLocator}',
  },
  notifications: {
    preferences: '/preferences/{partyLocator}',
    ownPreferences: '/preferences',
    replacePreferences: '/preferences/{partyLocator}',
    list: '/notifications/list',
    log: '/log/list',
  },
  consent: {
    get: '/consent/{partyLocator}',
    replace: '/consent/{partyLocator}',
  },
} as const;

export type DownstreamName = keyof typeof downstreamPaths;

/** Describes what is wrong with a path template, or returns undefined when it can replace `defaultTemplate`. */
export const pathTemplateProblem = (template: string, defaultTemplate: string): string | undefined => {
  const literals = template.split(/\{(?:partyLocator|locator)\}/).join('x');
  if (!template.startsWith('/') || /[{}#\\\s]|\/\/|\.\.|%2e|%(?![\da-f]{2})/i.test(literals))
    return 'must be a path that starts with "/" and has no placeholders other than {partyLocator} and {locator}';
  // Otherwise, the locator of one member could continue that of another: /PTY-1-2 is PTY-1 and 2, or PTY and 1-2. Services decode
  // values before they split them, so a character that a locator may have does not separate.
  if (/\}[\w.~!*'()%:|@-]*\{/.test(template))
    return 'must have a character that values cannot contain, such as "/", between its placeholders';
  if (defaultTemplate.includes('{locator}') !== template.includes('{locator}'))
    return defaultTemplate.includes('{locator}') ? 'must contain {locator}' : 'must not contain {locator}';
  return undefined;
};

/** Returns a function that fills in a valid template. The values are percent-encoded. */
export const filledPath = (template: string) => {
  // Split once: literal, name, literal, …, literal.
  const encoded = template.replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
  const [start = '', ...parts] = encoded.split(/\{(\w+)\}/);
  return (partyLocator: string, parameters: Readonly<Record<string, string>>): string => {
    let path = start;
    for (let at = 0; at < parts.length; at += 2) {
      const name = parts[at]!;
      path += encodeURIComponent(name === 'partyLocator' ? partyLocator : (parameters[name] ?? '')) + parts[at + 1];
    }
    return path;
  };
};
