interface Importer {
  readonly path: string;
  readonly imports: readonly { readonly target?: string | undefined; readonly line: number }[];
}

interface Step {
  readonly path: string;
  /** The line that imports the next file of the cycle. */
  readonly line: number;
}

/**
 * Finds the shortest import cycle of each file, or folder, that is part of one, including type-only imports. A cycle starts with its
 * first file in alphabetical order and is reported once.
 */
export const findCycles = (files: readonly Importer[]): readonly (readonly Step[])[] => {
  const graph = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.flatMap(({ target, line }) => (target === undefined ? [] : [{ target, line }])),
    ]),
  );
  const cycles = [...graph.keys()].flatMap((path) => {
    const cycle = shortestCycle(graph, path);
    return cycle ? [fromFirst(cycle)] : [];
  });
  return [...new Map(cycles.map((cycle) => [cycle.map(({ path }) => path).join(' '), cycle])).values()];
};

const fromFirst = (cycle: readonly Step[]): readonly Step[] => {
  const first = cycle.map(({ path }) => path).toSorted()[0];
  const at = cycle.findIndex(({ path }) => path === first);
  return [...cycle.slice(at), ...cycle.slice(0, at)];
};

type Graph = ReadonlyMap<string, readonly { readonly target: string; readonly line: number }[]>;

/** Breadth-first from a file back to itself. */
const shortestCycle = (graph: Graph, start: string): readonly Step[] | undefined => {
  const pathsTo = new Map<string, readonly Step[]>([[start, []]]);
  for (const [path, steps] of pathsTo)
    for (const { target, line } of graph.get(path) ?? []) {
      const longer = [...steps, { path, line }];
      if (target === start) return longer;
      if (!pathsTo.has(target)) pathsTo.set(target, longer);
    }
  return undefined;
};
