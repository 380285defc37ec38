/** Which test files run a module, the likeliest to notice a change first. Pure. */

import type { ImportGraph } from "../numbers/imports.js";

/** The folders whose imports decide. */
export const IMPORTING_FOLDERS = ["constructs/src", "constructs/test", "operator/src", "operator/test"];
/** These need a control plane, or play for minutes. */
const SLOW = /\/test\/(bench|e2e|server|storm)\/|(faults|simulation)[^/]*\.test\.ts$/;

/** The test with the module's own path, then the others by the number of imports from the test to the module. */
export function reachingTests(graph: ImportGraph, module: string): readonly string[] {
  const mirror = module.replace("/src/", "/test/").replace(/\.ts$/, "");
  const distances = importersOf(graph, module);
  const rank = (test: string): number => (test.startsWith(mirror) ? 0 : (distances.get(test) ?? 0));
  return [...distances.keys()]
    .filter((file) => file.endsWith(".test.ts") && !SLOW.test(file))
    .sort((a, b) => rank(a) - rank(b) || shared(b, mirror) - shared(a, mirror) || a.localeCompare(b));
}

/** Every file that imports the module, directly or through others, with the number of imports between. */
function importersOf(graph: ImportGraph, module: string): ReadonlyMap<string, number> {
  const distances = new Map([[module, 0]]);
  for (const [next, distance] of distances)
    for (const [file, imports] of graph)
      if (imports.includes(next) && !distances.has(file)) distances.set(file, distance + 1);
  return distances;
}

/** The number of leading folders that two paths share. */
function shared(a: string, b: string): number {
  const folders = b.split("/");
  const differ = a.split("/").findIndex((part, index) => part !== folders[index]);
  return differ < 0 ? folders.length : differ;
}
