import { DNS_SUBDOMAIN_PATTERN, labelKeyProblem, labelValueProblem } from "../api/label-syntax";
import type { FlipopOperatorProps } from "../operator-props";
import type { Draft, Site } from "../private/draft";

const DNS_SUBDOMAIN = new RegExp(`^(?=.{1,253}$)${DNS_SUBDOMAIN_PATTERN}$`);
/** The forms of a Kubernetes quantity that people use for CPU and memory. */
const QUANTITY = /^([0-9]+(\.[0-9]+)?)(m|k|[KMGTPE]i|[MGTPE])?$/;
const OPERATOR_SYSTEM = "kubernetes.io/os";

/** Checks what the pods look like and where they run. */
export function checkPods(props: FlipopOperatorProps, draft: Draft): void {
  const { replicas = 2, image, nodeSelector, monitoringLabels } = props;
  if (!Number.isInteger(replicas) || replicas < 0) {
    draft.at("replicas").refuse(`${replicas} is not a number of pods: use 2, or another whole number from 0`);
  }
  if (image !== undefined && !/^\S+$/.test(image)) {
    draft.at("image").refuse(`"${image}" is not an image: write it as registry/name:tag, or leave it out`);
  }
  checkNames(props, draft);
  checkResources(props, draft);
  checkDurations(props, draft);
  checkLabels(nodeSelector, draft.at("nodeSelector"));
  checkLabels(monitoringLabels, draft.at("monitoringLabels"));
  checkSystem(nodeSelector, draft.at("nodeSelector"));
  checkMonitoring(props, draft.at("monitoringLabels"));
}

function checkNames(props: FlipopOperatorProps, draft: Draft): void {
  const { serviceAccountName, priorityClassName, imagePullSecrets = [] } = props;
  checkObjectName(serviceAccountName, draft.at("serviceAccountName"));
  checkObjectName(priorityClassName, draft.at("priorityClassName"));
  for (const [index, name] of imagePullSecrets.entries()) checkObjectName(name, draft.at(`imagePullSecrets[${index}]`));
}

function checkObjectName(name: string | undefined, site: Site): void {
  if (name === undefined || DNS_SUBDOMAIN.test(name)) return;
  site.refuse(`"${name}" is not the name of an object: use lower-case letters, digits, "-" and "."`);
}

function checkResources(props: FlipopOperatorProps, draft: Draft): void {
  for (const prop of ["cpuRequest", "cpuLimit", "memoryRequest", "memoryLimit"] as const) {
    const quantity = props[prop];
    if (quantity === undefined || isPositive(quantity)) continue;
    const example = prop.startsWith("cpu") ? '"50m" or "0.5"' : '"128Mi" or "1Gi"';
    draft.at(prop).refuse(`"${quantity}" is not a quantity: write it as ${example}`);
  }
}

function isPositive(quantity: string): boolean {
  return Number(QUANTITY.exec(quantity)?.[1] ?? 0) > 0;
}

function checkDurations({ resync, shutdownTimeout }: FlipopOperatorProps, draft: Draft): void {
  const resyncSeconds = resync?.toSeconds({ integral: false });
  if (resyncSeconds === 0)
    draft.at("resync").refuse("0 seconds would never rest: use Duration.seconds(60) or the like");
  const timeout = shutdownTimeout?.toSeconds({ integral: false });
  if (timeout !== undefined && !Number.isInteger(timeout)) {
    const fix = `Duration.seconds(${Math.ceil(timeout)})`;
    draft
      .at("shutdownTimeout")
      .refuse(`${timeout} seconds is not a whole number, and a pod's grace period is one: use ${fix}`);
  }
}

function checkLabels(labels: Readonly<Record<string, string>> | undefined, site: Site): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    const problem = labelKeyProblem(key) ?? labelValueProblem(value);
    if (problem !== undefined) site.refuse(problem);
  }
}

function checkSystem(nodeSelector: FlipopOperatorProps["nodeSelector"], site: Site): void {
  const system = nodeSelector?.[OPERATOR_SYSTEM];
  if (system === undefined || system === "linux") return;
  site.refuse(`"${OPERATOR_SYSTEM}: ${system}" would not run the image, which is for Linux: leave it out`);
}

function checkMonitoring({ monitoringLabels, scrape, alertRules, dashboard }: FlipopOperatorProps, site: Site): void {
  if (monitoringLabels === undefined || scrape || alertRules || dashboard) return;
  site.refuse("is of no use without scrape, alertRules or dashboard: add one of them, or leave it out");
}
