import { FEATURES } from "../api/config";
import type { FlipopOperatorProps } from "../operator-props";
import { checkDnsLabel } from "../private/check-text";
import type { Draft, Site } from "../private/draft";
import type { OperatorSettings } from "./settings";

/** The metrics Service adds "-metrics" to the name, and a Service's name has at most 63 characters. */
const MAX_NAME_LENGTH = 55;

/** Checks what the operator is called, what it does and where. */
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
    site.refuse(`has ${name.length} characters: use at most ${MAX_NAME_LENGTH}, other names are made from it`);
    return;
  }
  checkDnsLabel(name, site);
  if (/^[0-9]/.test(name))
    site.refuse(`"${name}" begins with a digit, which the name of a Service may not: add a letter`);
}

function checkFeatures({ features }: FlipopOperatorProps, site: Site): void {
  if (features === undefined) return;
  if (features.length === 0) site.refuse("is empty, so the operator would do nothing: name a feature, or leave it out");
  features.forEach((feature, index) => {
    if (Object.hasOwn(FEATURES, feature)) return;
    site.below(`[${index}]`).refuse(`"${feature}" is not a feature: use ${Object.keys(FEATURES).join(", ")}`);
  });
}

function checkList(namespaces: readonly string[] | undefined, site: Site): void {
  // For the operator an empty list means all: a list that came out empty by accident must not give it more rights.
  if (namespaces?.length === 0) site.refuse("is empty: name a namespace, or leave it out for the default");
  namespaces?.forEach((namespace, index) => {
    const at = site.below(`[${index}]`);
    checkDnsLabel(namespace, at);
    if (namespaces.indexOf(namespace) < index) at.refuse(`"${namespace}" is listed twice: remove one`);
  });
}

function checkIssuerNamespaces(
  { issuerNamespaces = [] }: FlipopOperatorProps,
  { features, watchNamespaces }: OperatorSettings,
  site: Site,
): void {
  if (issuerNamespaces.length === 0) return;
  if (!features.includes("routedip")) {
    site.refuse("is of no use without feature routedip: add OperatorFeature.ROUTED_IP, or leave it out");
  }
  issuerNamespaces.forEach((namespace, index) => {
    if (watchNamespaces.length === 0 || watchNamespaces.includes(namespace)) return;
    const fix = "add it there, or take it out here";
    site
      .below(`[${index}]`)
      .refuse(`issuers in "${namespace}" would not be seen, it is not in watchNamespaces: ${fix}`);
  });
}

function checkJobNamespaces(
  { jobNamespaces = [] }: FlipopOperatorProps,
  { features, namespace: own, jobNamespaces: used }: OperatorSettings,
  site: Site,
): void {
  if (jobNamespaces.length > 0 && !features.includes("jobs")) {
    site.refuse("is of no use without feature jobs: add OperatorFeature.JOBS, or leave it out");
  }
  if (used.includes(own)) {
    site.refuse(`"${own}" is the operator's own namespace, where its credentials are: run Jobs in another one`);
  }
}
