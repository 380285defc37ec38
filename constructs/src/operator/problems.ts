import type { ApiObject } from "cdk8s";
import type { FlipopOperatorProps } from "../operator-props";
import { Draft } from "../private/draft";
import { checkArguments } from "./check-arguments";
import { checkEnvironment } from "./check-environment";
import { checkNamespaces } from "./check-namespaces";
import { checkPods } from "./check-pods";
import { deploymentSpec } from "./deployment";
import type { OperatorSettings } from "./settings";

/** Every problem of the props: the prop, the value seen and how to fix it. Empty: they can be used. */
export function operatorProblems(
  deployment: ApiObject,
  settings: OperatorSettings,
  props: FlipopOperatorProps,
): string[] {
  const draft = new Draft(deployment);
  checkNamespaces(props, settings, draft);
  checkPods(props, draft);
  checkEnvironment(props, draft);
  checkArguments(props, draft);
  deploymentSpec(settings, props, draft);
  return draft.refusals.map(({ prop, message }) => `${prop}: ${message}`);
}
