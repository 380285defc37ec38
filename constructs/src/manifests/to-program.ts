import { KINDS } from "../api/kinds/kinds";
import { GROUP_VERSION } from "../api/names";
import { isObject, type JsonObject } from "../api/schema/schema";
import { type Built, build, synthesised } from "./build-program";
import type { ManifestObject } from "./manifest-object";
import { type Patch, patchesBetween } from "./patches";
import { planApp } from "./plan";
import type { Program } from "./program";

/** An app that synthesises to exactly these objects. What no construct accepts becomes a plain ApiObject. */
export function toProgram(objects: readonly ManifestObject[]): Program {
  const plain = new Map<ManifestObject, string | undefined>(
    objects.filter((object) => !hasConstruct(object)).map((object) => [object, undefined]),
  );
  for (;;) {
    const program = exactly(planApp(objects, plain));
    const built = build(program);
    const refused = built.filter(({ plan }) => !plain.has(plan.object)).flatMap(refusalOf);
    if (refused.length === 0) return program;
    for (const { object, why } of refused) plain.set(object, why);
  }
}

/** Whether the library has a construct for the kind of an object. */
export function hasConstruct({ apiVersion, kind }: Pick<ManifestObject, "apiVersion" | "kind">): boolean {
  return apiVersion === GROUP_VERSION && Object.hasOwn(KINDS, kind);
}

/** The same program, with the patches after which its objects equal the given ones. */
function exactly(program: Program): Program {
  const built = build(program);
  return {
    ...program,
    resources: built.map(({ plan, object }) => ({ ...plan, patches: missing(plan.object, object) })),
  };
}

function missing(wanted: ManifestObject, object: Built["object"]): readonly Patch[] {
  const json = synthesised(object);
  return json ? patchesBetween(json, wanted) : [];
}

interface Refused {
  readonly object: ManifestObject;
  readonly why: string | undefined;
}

/** Why a construct cannot define an object. */
function refusalOf({ plan, construct, object }: Built): readonly Refused[] {
  const [why] = construct.node.validate();
  const json = synthesised(object);
  const isExact = json !== undefined && isObject(json) && patchesBetween(json, plan.object as JsonObject).length === 0;
  return why === undefined && isExact ? [] : [{ object: plan.object, why }];
}
