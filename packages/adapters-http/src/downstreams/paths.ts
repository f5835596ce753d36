/** What each operation asks for unless the settings say otherwise (contract, section 2). */
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

/** What is wrong with a path template that is to stand for `usual`; nothing when it will do. */
export const pathTemplateProblem = (template: string, usual: string): string | undefined => {
  const literals = template.split(/\{(?:partyLocator|locator)\}/).join('x');
  if (!template.startsWith('/') || /[{}#\\\s]|\/\/|\.\./.test(literals))
    return 'must be a path that begins with "/" and knows only {partyLocator} and {locator}';
  if (usual.includes('{locator}') !== template.includes('{locator}'))
    return usual.includes('{locator}') ? 'must hold {locator}' : 'must not hold {locator}';
  return undefined;
};

/** A template checked once and split once: literal, name, literal, name, …, literal. */
export const pathTemplate = (template: string, usual: string) => {
  const problem = pathTemplateProblem(template, usual);
  if (problem !== undefined) throw new TypeError(`A downstream path ${problem}.`);
  const visible = template.replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
  const [start = '', ...parts] = visible.split(/\{(partyLocator|locator)\}/);
  return (partyLocator: string, locator = ''): string => {
    let path = start;
    for (let at = 0; at < parts.length; at += 2)
      path += encodeURIComponent(parts[at] === 'locator' ? locator : partyLocator) + parts[at + 1];
    return path;
  };
};
