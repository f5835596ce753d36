/** Returns the components that `root` references, directly or through other components. */
export const referencedComponents = <Components extends Readonly<Record<string, Readonly<Record<string, object>>>>>(
  root: object,
  components: Components,
): Components => {
  const found = new Set<string>();
  const follow = (value: object | undefined): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/([^/"]+)\/([^/"]+)/g)) {
      if (found.has(`${kind}/${name}`)) continue;
      found.add(`${kind}/${name}`);
      follow(components[kind]?.[name]);
    }
  };
  follow(root);
  const referenced = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => found.has(`${kind}/${name}`))),
  ]);
  return Object.fromEntries(referenced) as Components;
};
