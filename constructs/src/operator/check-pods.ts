import { labelKeyProblem, labelValueProblem } from "../api/label-syntax";
import type { FlipopOperatorProps } from "../operator-props";
import { checkObjectName } from "../private/check-text";
import type { Draft, Site } from "../private/draft";
import { seconds, wholeSeconds } from "../private/written";
import { checkResources } from "./check-resources";

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
  for (const [prop, name] of Object.entries({ serviceAccountName, priorityClassName })) {
    if (name !== undefined) checkObjectName(name, draft.at(prop));
  }
  for (const [index, name] of imagePullSecrets.entries()) checkObjectName(name, draft.at(`imagePullSecrets[${index}]`));
}

function checkDurations({ resync, shutdownTimeout }: FlipopOperatorProps, draft: Draft): void {
  if (seconds(resync, draft.at("resync")) === 0)
    draft.at("resync").refuse("0 seconds would never rest: use Duration.seconds(60) or the like");
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
  site.refuse(`"${OPERATOR_SYSTEM}: ${system}" would not run the image, which is for Linux: leave it out`);
}

function checkMonitoring({ monitoringLabels, scrape, alertRules, dashboard }: FlipopOperatorProps, site: Site): void {
  if (monitoringLabels === undefined || scrape || alertRules || dashboard) return;
  site.refuse("is of no use without scrape, alertRules or dashboard: add one of them, or leave it out");
}
