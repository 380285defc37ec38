import { describeReasons, resolveBinaries } from "./binaries/binaries.js";
import { type LookupContext, lookupContext } from "./binaries/lookup-context.js";
import { ControlPlane, type ControlPlaneOptions, neededParts } from "./control-plane.js";

const BUILD_TIMEOUT_MS = 30 * 60_000;
const START_TIMEOUT_MS = 120_000;
// This is on the global object, because a process that loads this package as an ES module and as CommonJS has two
// copies of it.
const registryKey = Symbol.for("flipop-testbed.shared");

interface Registry {
  readonly planes: Map<string, Promise<ControlPlane>>;
}

/** The part of mocha's context that `skip` requires: `this` in a hook or a test. */
export interface Skippable {
  skip(): never;
}

/** The required part of mocha's context: `this` in a hook or a test. */
export interface SuiteContext extends Skippable {
  timeout(ms: number): unknown;
}

/** Options of a shared control plane: suites with equal options get the same one. */
export type SharedOptions = Omit<ControlPlaneOptions, "binaries"> & {
  /** Replaces parts of the look-up of the binaries. */
  readonly lookup?: Partial<LookupContext>;
};

/**
 * For a `before` hook: `plane = await controlPlaneOrSkip(this, { ... })`. Suites of one process with equal options
 * share one control plane, which ends with the process. Without binaries, the suite counts as skipped, or fails if
 * CI=true.
 */
export async function controlPlaneOrSkip(context: SuiteContext, options: SharedOptions = {}): Promise<ControlPlane> {
  const { lookup, ...planeOptions } = options;
  // The look-up may have to build the binaries.
  context.timeout(BUILD_TIMEOUT_MS);
  const parts = neededParts(options.controllerManager ?? false);
  const resolution = await resolveBinaries({ parts, ...lookup });
  if (resolution.kind === "found") {
    context.timeout(START_TIMEOUT_MS);
    return sharedPlane({ ...planeOptions, binaries: resolution.binaries });
  }
  const line = `no control plane for this suite: ${describeReasons(resolution.reasons)}`;
  if ((lookup?.env ?? process.env).CI === "true") throw new Error(line);
  lookupContext(lookup).log(`SKIPPED, ${line}`);
  return context.skip();
}

/** Skips the test, or in a hook the suite, and prints the reason; the suite runner shows it in its summary. */
export function skip(context: Skippable, reason: string): never {
  process.stderr.write(`SKIPPED, ${reason}\n`);
  return context.skip();
}

/** Stops all shared control planes; they end with the process anyway. */
export async function stopShared(): Promise<void> {
  const { planes } = registry();
  const all = [...planes.values()];
  planes.clear();
  const stops = all.map(async (plane) => (await plane).stop());
  await Promise.allSettled(stops);
}

function sharedPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { planes } = registry();
  const key = JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));
  const known = planes.get(key);
  if (known) return known;
  const started = ControlPlane.start(options);
  planes.set(key, started);
  // The next suite tries again, because a start may have failed by a timeout.
  started.catch(() => planes.delete(key));
  return started;
}

function registry(): Registry {
  const holder = globalThis as { [registryKey]?: Registry };
  if (!holder[registryKey]) {
    holder[registryKey] = { planes: new Map() };
    // An idle control plane does not keep the process alive. When nothing else does, this stops it and waits; if the
    // process ends otherwise, the supervisor stops it.
    process.once("beforeExit", () => void stopShared());
  }
  return holder[registryKey];
}
