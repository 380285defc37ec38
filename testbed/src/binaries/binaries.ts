import { join, resolve } from "node:path";
import { fileName, isReadable, type LookupContext, lookupContext, missingParts, onPath } from "./lookup-context.js";
import { publishBuilt, publishUnpacked } from "./unpack-or-build.js";
import type { PartName } from "./versions.js";

/** The executables of a control plane. */
export interface Binaries {
  readonly folder: string;
  /** The step of the look-up that found them. */
  readonly source: Step;
}

/** The steps of the look-up, in their order. */
export const STEPS = ["KUBEBUILDER_ASSETS", "cache", "prebuilt", "build"] as const;

/** One step of the look-up. */
export type Step = (typeof STEPS)[number];

/** Why a step of the look-up found nothing. */
export interface StepReason {
  readonly step: Step;
  readonly reason: string;
}

/** The outcome of a look-up. */
export type Resolution =
  | { readonly kind: "found"; readonly binaries: Binaries }
  | { readonly kind: "unavailable"; readonly reasons: readonly StepReason[] };

/** A step returns the folder that it found, or the reason why there is none. */
type StepFunction = (context: LookupContext) => Promise<{ folder: string } | { reason: string }>;

const steps: Readonly<Record<Step, StepFunction>> = {
  KUBEBUILDER_ASSETS: fromAssets,
  cache: fromCache,
  prebuilt: fromArchive,
  build: fromBuild,
};

/** Finds or builds the executables with the first step that succeeds. */
export async function resolveBinaries(overrides: Partial<LookupContext> = {}): Promise<Resolution> {
  const context = lookupContext(overrides);
  const reasons: StepReason[] = [];
  for (const step of STEPS) {
    const outcome = await attempt(steps[step], context);
    if ("folder" in outcome) return { kind: "found", binaries: { folder: outcome.folder, source: step } };
    reasons.push({ step, reason: outcome.reason });
  }
  return { kind: "unavailable", reasons };
}

/** The executable of one program. */
export function executable(binaries: Binaries, part: PartName): string {
  return join(binaries.folder, fileName(part));
}

/** The reasons of a failed look-up in one line. */
export function describeReasons(reasons: readonly StepReason[]): string {
  return reasons.map(({ step, reason }) => `${step}: ${reason}`).join("; ");
}

async function attempt(step: StepFunction, context: LookupContext): ReturnType<StepFunction> {
  try {
    return await step(context);
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

async function fromAssets({ env, parts }: LookupContext): ReturnType<StepFunction> {
  const folder = env.KUBEBUILDER_ASSETS;
  if (!folder) return { reason: "not set" };
  const missing = await missingParts(folder, parts);
  return missing.length > 0 ? { reason: `${folder} has no ${missing.join(", ")}` } : { folder: resolve(folder) };
}

async function fromCache({ cacheFolder, parts }: LookupContext): ReturnType<StepFunction> {
  const missing = await missingParts(cacheFolder, parts);
  return missing.length > 0 ? { reason: `${cacheFolder} has no ${missing.join(", ")}` } : { folder: cacheFolder };
}

async function fromArchive(context: LookupContext): ReturnType<StepFunction> {
  const { archive, archivePlatform, cacheFolder } = context;
  if (!(await isReadable(archive))) return { reason: `no file ${archive}` };
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== archivePlatform) return { reason: `${archive} is for ${archivePlatform}, this is ${platform}` };
  if (!(await onPath("xz", context.env))) return { reason: `no xz on the PATH to unpack ${archive}` };
  await publishUnpacked(context);
  return { folder: cacheFolder };
}

async function fromBuild(context: LookupContext): ReturnType<StepFunction> {
  const { goModule, cacheFolder } = context;
  if (!(await isReadable(join(goModule, "go.mod")))) return { reason: `no Go module in ${goModule}` };
  if (!(await onPath("go", context.env))) return { reason: "no go on the PATH (1.25 or newer builds the executable)" };
  await publishBuilt(context);
  return { folder: cacheFolder };
}
