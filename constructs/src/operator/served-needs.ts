import { Construct } from "constructs";
import type { FeatureName } from "../api/config";
import { allProviders } from "../api/providers";
import type { FlipopOperatorProps } from "../operator-props";
import { covers } from "../private/app/check-served";
import type { Need } from "../private/app/needs";
import { isKnownBeforeSynth } from "../private/app/needs-before-synth";
import type { OperatorReach } from "../private/app/operator-construct";
import { shown } from "../private/prop-types";
import type { Refusal } from "../private/refusal-collector";
import { featureNames, featureNamespaces, type OperatorSettings } from "./props-with-defaults";

/** The problem of an argument of `serve`: a reference or another construct has no needs, so it would have no effect. */
export function servedProblems(value: unknown): readonly Refusal[] {
  const isConstruct = Construct.isConstruct(value);
  if (isConstruct && isKnownBeforeSynth(value)) return [];
  const seen = isConstruct ? `construct "${value.node.path}"` : shown(value);
  const fix =
    "give a FloatingIPPool, for example; for a resource outside of the app, set the props of the operator (features, watchNamespaces)";
  return [{ prop: "serve", message: `${seen} is not a resource that this app creates: ${fix}` }];
}

/** Adds to the settings of an operator what a need lacks. A provider's token, and another namespace, cannot be added. */
export function addNeed(settings: OperatorSettings, need: Need, props: FlipopOperatorProps): void {
  const { what, value } = need;
  if (covers(reachOf(settings, []), need)) return;
  if (what === "feature") addFeature(settings, value, props);
  if (what === "watch") settings.watchNamespaces.push(value);
  if (what === "pods") settings.podNamespaces.push(value);
  if (what === "issuers" || what === "accounts") settings.issuerNamespaces.push(value);
  if (what === "jobs") settings.jobNamespaces.push(value);
}

function addFeature(settings: OperatorSettings, feature: FeatureName, props: FlipopOperatorProps): void {
  const features = featureNames().filter((name) => name === feature || settings.features.includes(name));
  settings.features.splice(0, settings.features.length, ...features);
  const { issuerNamespaces, jobNamespaces } = featureNamespaces(props, features, settings.namespace);
  addAll(settings.issuerNamespaces, issuerNamespaces);
  addAll(settings.jobNamespaces, jobNamespaces);
}

function addAll(list: string[], items: readonly string[]): void {
  list.push(...items.filter((item) => !list.includes(item)));
}

/** The environment variables with tokens, or with files of tokens, that the props set. */
export function tokenVariables(props: FlipopOperatorProps): readonly string[] {
  const given = allProviders().filter(
    ({ prop, tokenVariable }) => props[prop] !== undefined || props.env?.[`${tokenVariable}_FILE`] !== undefined,
  );
  return given.map(({ tokenVariable }) => tokenVariable);
}

/** What an operator with these settings serves. */
export function reachOf(settings: OperatorSettings, tokenVariables: readonly string[]): OperatorReach {
  const { namespace, features, watchNamespaces, podNamespaces, issuerNamespaces, jobNamespaces } = settings;
  const lists = { features, watchNamespaces, podNamespaces, issuerNamespaces, jobNamespaces };
  return { namespace, ...lists, tenantLimits: settings.tenantLimits, tokenVariables };
}
