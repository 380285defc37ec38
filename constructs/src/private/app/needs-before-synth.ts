import type { ApiObject } from "cdk8s";
import type { IConstruct } from "constructs";
import type { KindName } from "../../api/kinds/kinds";
import type { JsonObject } from "../../api/schema/schema";
import { apiObjectOf } from "../manifest";
import { type Need, needsOf } from "./needs";

/** What is known of a resource before synthesis. */
export interface EarlyFacts {
  readonly kind: KindName;
  /** The spec with its tokens; undefined if it cannot be written. */
  readonly spec: () => JsonObject | undefined;
  /** The constructs that the props refer to. */
  readonly references: () => readonly IConstruct[];
}

const EARLY = new WeakMap<ApiObject, EarlyFacts>();

/** Registers a resource for `needsBeforeSynth`. */
export function registerNeeds(object: ApiObject, facts: EarlyFacts): void {
  EARLY.set(object, facts);
}

/** The constructs that the props of a resource refer to. */
export function referencesFrom(object: ApiObject): readonly IConstruct[] {
  return EARLY.get(object)?.references() ?? [];
}

/** Whether a construct is a resource of this library that the app creates. */
export function isKnownBeforeSynth(construct: IConstruct): boolean {
  const object = apiObjectOf(construct);
  return object !== undefined && EARLY.has(object);
}

/** The needs of a resource and of the resources that it refers to. Synthesis checks them again, without tokens. */
export function needsBeforeSynth(construct: IConstruct): readonly Need[] {
  const object = apiObjectOf(construct);
  const facts = object && EARLY.get(object);
  if (!object || !facts) return [];
  const { kind, references } = facts;
  const { namespace } = object.metadata;
  // A class decides which feature its RoutedIPs need.
  return [
    ...references().flatMap((reference) => needsBeforeSynth(reference)),
    ...needsOf({ kind, namespace, spec: facts.spec() ?? {} }),
  ];
}
