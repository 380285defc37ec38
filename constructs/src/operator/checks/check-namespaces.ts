import { FEATURES, idleFeatures } from "../../api/config";
import type { FlipopOperatorProps } from "../../operator-props";
import { checkDnsLabel } from "../../private/checks/check-text";
import type { Draft, Site } from "../../private/refusal-collector";
import type { OperatorSettings } from "../props-with-defaults";

/** The metrics Service adds "-metrics" to the name, and a Service's name has at most 63 characters. */
const MAX_NAME_LENGTH = 55;

/** Checks the operator's name, features and namespaces. */
export function checkNamespaces(props: FlipopOperatorProps, settings: OperatorSettings, draft: Draft): void {
  checkName(settings.name, draft.at("name"));
  checkDnsLabel(settings.namespace, draft.at("namespace"));
  checkFeatures(props, draft.at("features"));
  for (const list of ["watchNamespaces", "podNamespaces", "issuerNamespaces", "jobNamespaces"] as const) {
    checkList(props[list], draft.at(list));
  }
  checkIssuerNamespaces(props, settings, draft.at("issuerNamespaces"));
  checkJobNamespaces(props, settings, draft.at("jobNamespaces"));
}

function checkName(name: string, site: Site): void {
  if (name.length > MAX_NAME_LENGTH) {
    site.refuse(`has ${name.length} characters: use at most ${MAX_NAME_LENGTH}, because other names contain it`);
    return;
  }
  checkDnsLabel(name, site);
  if (/^[0-9]/.test(name))
    site.refuse(
      `"${name}" begins with a digit, but the name of a Service must begin with a letter: put a letter first`,
    );
}

function checkFeatures({ features }: FlipopOperatorProps, site: Site): void {
  if (features === undefined) return;
  if (features.length === 0)
    site.refuse("is empty, so the operator would do nothing: name a feature, or remove the prop");
  features.forEach((feature, index) => {
    if (Object.hasOwn(FEATURES, feature)) return;
    site.below(`[${index}]`).refuse(`"${feature}" is not a feature: use ${Object.keys(FEATURES).join(", ")}`);
  });
  for (const problem of idleFeatures(features)) site.refuse(problem);
}

function checkList(namespaces: readonly string[] | undefined, site: Site): void {
  // For the operator, an empty list means all namespaces: a list that is empty by accident must not add permissions.
  if (namespaces?.length === 0) site.refuse("is empty: name a namespace, or remove the prop to use the default");
  namespaces?.forEach((namespace, index) => {
    const at = site.below(`[${index}]`);
    checkDnsLabel(namespace, at);
    if (namespaces.indexOf(namespace) < index) at.refuse(`"${namespace}" is listed twice: remove one`);
  });
}

function checkIssuerNamespaces(
  { issuerNamespaces = [] }: FlipopOperatorProps,
  { features }: OperatorSettings,
  site: Site,
): void {
  if (issuerNamespaces.length > 0 && !features.includes("routedip")) {
    site.refuse("has no effect without feature routedip: add OperatorFeature.ROUTED_IP, or remove the prop");
  }
}

function checkJobNamespaces(
  { jobNamespaces = [] }: FlipopOperatorProps,
  { features, namespace: own, jobNamespaces: used }: OperatorSettings,
  site: Site,
): void {
  if (jobNamespaces.length > 0 && !features.includes("jobs")) {
    site.refuse("has no effect without feature jobs: add OperatorFeature.JOBS, or remove the prop");
  }
  if (used.includes(own)) {
    site.refuse(`"${own}" is the operator's own namespace, which contains its credentials: run Jobs in another one`);
  }
}
