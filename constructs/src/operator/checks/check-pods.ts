import { labelKeyProblem, labelValueProblem } from "../../api/labels/label-syntax";
import type { FlipopOperatorProps } from "../../operator-props";
import { checkObjectName } from "../../private/checks/check-text";
import { seconds, wholeSeconds } from "../../private/field-values";
import { checkFields } from "../../private/job/check-job-fields";
import { AFFINITY } from "../../private/job/pod-fields";
import type { Draft, Site } from "../../private/refusal-collector";
import { isPort } from "../network-policy";
import { imageOfEnvironment } from "../pod-template";
import { checkResources } from "./check-resources";

const OPERATOR_SYSTEM = "kubernetes.io/os";

/** Checks the props for the pods and their placement. */
export function checkPods(props: FlipopOperatorProps, draft: Draft): void {
  const { replicas = 2, nodeSelector, monitoringLabels } = props;
  if (!Number.isInteger(replicas) || replicas < 0) {
    draft.at("replicas").refuse(`${replicas} is not a valid number of pods: use 2, or another whole number from 0`);
  }
  checkImage(props, draft.at("image"));
  checkNames(props, draft);
  checkResources(props, draft);
  checkDurations(props, draft);
  checkLabels(nodeSelector, draft.at("nodeSelector"));
  checkLabels(monitoringLabels, draft.at("monitoringLabels"));
  checkSystem(nodeSelector, draft.at("nodeSelector"));
  checkMonitoring(props, draft.at("monitoringLabels"));
  checkNetworkPolicy(props, draft);
  checkAnnotations(props, draft.at("podAnnotations"));
  checkAffinity(props, draft.at("affinity"));
}

/** As container engines read it: registry and port, path, tag, digest. */
const IMAGE = /^([\w.-]+(:\d+)?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*(:\w[\w.-]{0,127})?(@[a-z][a-z0-9+._-]*:[0-9a-f]+)?$/;

function checkImage({ image }: FlipopOperatorProps, site: Site): void {
  const used = image ?? imageOfEnvironment();
  if (used === undefined || IMAGE.test(used)) return;
  const source = image === undefined ? "variable FLIPOP_IMAGE" : "prop";
  site.refuse(`"${used}" is not an image: write it as registry/name:tag, or remove the ${source}`);
}

function checkAnnotations({ podAnnotations = {} }: FlipopOperatorProps, site: Site): void {
  for (const key of Object.keys(podAnnotations)) {
    const problem = labelKeyProblem(key)?.replace("a label key", "an annotation key");
    if (problem !== undefined) site.refuse(problem);
  }
}

/** The fields of a pod's affinity. */
export const AFFINITY_FIELDS: readonly string[] = AFFINITY.names.split(" ");

/** The API server drops unknown fields of a template, so that a misspelt one would have no effect. */
function checkAffinity({ affinity = {} }: FlipopOperatorProps, site: Site): void {
  const [known, unknown] = [true, false].map((is) =>
    Object.entries(affinity).filter(([field]) => AFFINITY_FIELDS.includes(field) === is),
  );
  for (const [field] of unknown ?? []) {
    site.below(`.${field}`).refuse(`there is no such field: use ${AFFINITY_FIELDS.join(", ")}`);
  }
  checkFields(Object.fromEntries(known ?? []), site, AFFINITY);
}

function checkNames(props: FlipopOperatorProps, draft: Draft): void {
  const { serviceAccountName, priorityClassName, imagePullSecrets = [] } = props;
  for (const [prop, name] of Object.entries({ serviceAccountName, priorityClassName })) {
    if (name !== undefined) checkObjectName(name, draft.at(prop));
  }
  for (const [index, name] of imagePullSecrets.entries()) checkObjectName(name, draft.at(`imagePullSecrets[${index}]`));
}

function checkDurations({ resync, shutdownTimeout }: FlipopOperatorProps, draft: Draft): void {
  if (seconds(resync, draft.at("resync")) === 0)
    draft
      .at("resync")
      .refuse("is 0 seconds, so the operator would never pause: use a longer time, such as Duration.seconds(60)");
  // A pod's grace period is a whole number.
  wholeSeconds(shutdownTimeout, draft.at("shutdownTimeout"));
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
  site.refuse(`"${OPERATOR_SYSTEM}: ${system}" selects nodes that cannot run the image, which is for Linux: remove it`);
}

function checkMonitoring({ monitoringLabels, scrape, alertRules, dashboard }: FlipopOperatorProps, site: Site): void {
  if (monitoringLabels === undefined || scrape || alertRules || dashboard) return;
  site.refuse("has no effect without scrape, alertRules or dashboard: add one of them, or remove the prop");
}

function checkPolicyPorts(networkPolicy: boolean, ports: readonly number[], site: Site): void {
  for (const [index, port] of ports.entries()) {
    if (!isPort(port)) site.below(`[${index}]`).refuse(`${port} is not a port: use a whole number from 1 to 65535`);
  }
  if (ports.length > 0 && !networkPolicy) {
    site.refuse("has no effect without networkPolicy: set networkPolicy to true, or remove the prop");
  }
}

function checkNetworkPolicy(props: FlipopOperatorProps, draft: Draft): void {
  const { networkPolicy = false, networkPolicyPorts = [], networkPolicyDnsPorts } = props;
  checkPolicyPorts(networkPolicy, networkPolicyPorts, draft.at("networkPolicyPorts"));
  const site = draft.at("networkPolicyDnsPorts");
  checkPolicyPorts(networkPolicy, networkPolicyDnsPorts ?? [], site);
  if (networkPolicyDnsPorts?.length === 0) {
    site.refuse("is empty, so the operator could resolve no name: add a port, or remove the prop to use 53");
  }
}
