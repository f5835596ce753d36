/** Imports the modules in its arguments, and prints what each import changed in this process, as JSON. */
const builtIns = Object.entries({
  Object,
  'Object.prototype': Object.prototype,
  'Array.prototype': Array.prototype,
  'Function.prototype': Function.prototype,
  'String.prototype': String.prototype,
  Promise,
  'Promise.prototype': Promise.prototype,
  Error,
  Reflect,
  JSON,
  Math,
  console,
  process,
  globalThis,
});

/** The own properties of a built-in object with their values. Properties with getters, which Node resolves on first use, by name only. */
const propertiesOf = (name: string, object: object): readonly (readonly [string, unknown])[] =>
  Reflect.ownKeys(object)
    .filter((key) => key !== '_eventsCount')
    .map((key) => {
      const { value } = Reflect.getOwnPropertyDescriptor(object, key) as { readonly value?: unknown };
      return [`${name}.${String(key)}`, value];
    });

const snapshot = (): ReadonlyMap<string, unknown> =>
  new Map([
    ...builtIns.flatMap(([name, object]) => propertiesOf(name, object)),
    ...process.eventNames().map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const),
    ...process.getActiveResourcesInfo().map((resource, nth) => [`open resource ${nth}`, resource] as const),
    ...Object.entries(process.env).map(([name, value]) => [`variable ${name}`, value] as const),
  ]);

/** Imports a module, and waits until what it starts is visible. */
const load = async (specifier: string): Promise<void> => {
  await import(specifier);
  await new Promise(setImmediate);
};

// Node itself opens these streams, and changes some globals, when they are first used.
await load('node:process');
snapshot();
await load('data:text/javascript,');

const changes: Record<string, readonly string[]> = {};
let before = snapshot();
for (const specifier of process.argv.slice(2)) {
  await load(specifier);
  const after = snapshot();
  changes[specifier] = [...after.keys()].filter((key) => {
    const wasLazy = before.has(key) && before.get(key) === undefined;
    return !wasLazy && (!before.has(key) || !Object.is(before.get(key), after.get(key)));
  });
  before = after;
}
process.stdout.write(JSON.stringify(changes));
