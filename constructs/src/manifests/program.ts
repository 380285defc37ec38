import type { JsonObject } from "../api/schema/schema";
import type { Struct } from "./expression";
import type { ManifestObject } from "./manifest-object";
import type { Patch } from "./patches";

/** A chart of the imported app. */
export interface ChartPlan {
  readonly id: string;
  readonly variable: string;
  readonly namespace?: string;
}

/** An object of the imported app. */
export interface ResourcePlan {
  readonly object: ManifestObject;
  readonly chart: ChartPlan;
  readonly id: string;
  /** Name of the variable, if other code refers to the object. */
  readonly variable: string;
  readonly className: string;
  readonly props: Struct;
  /** Fields of a plain ApiObject beside its props. */
  readonly rest: JsonObject;
  /** Changes of the object after the construct has written it. */
  readonly patches: readonly Patch[];
  /** Why a plain ApiObject stands in for a construct. */
  readonly comment?: string;
}

/** An app that synthesises to the imported objects. */
export interface Program {
  readonly charts: readonly ChartPlan[];
  readonly resources: readonly ResourcePlan[];
}
