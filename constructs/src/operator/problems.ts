import type { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { FlipopOperatorProps } from "../operator-props";
import type { AppIndex } from "../private/app-index";
import { Draft, type Refusal } from "../private/draft";
import { checkArguments } from "./check-arguments";
import { checkEnvironment } from "./check-environment";
import { checkNamespaces } from "./check-namespaces";
import { checkPods } from "./check-pods";
import { deploymentSpec } from "./deployment";
import { checkLeaderElection } from "./leader-election";
import { checkCreatedNamespaces, warnOfMissingNamespaces } from "./namespaces";
import type { OperatorSettings } from "./settings";

/** The inputs for the checks of an operator. */
export interface OperatorParts {
  readonly operator: Construct;
  readonly deployment: ApiObject;
  readonly settings: OperatorSettings;
  readonly props: FlipopOperatorProps;
}

/** Every problem of the props: the prop, the actual value and the fix. Empty: the props are valid. */
export function operatorProblems(parts: OperatorParts, index: AppIndex): readonly Refusal[] {
  const { operator, deployment, settings, props } = parts;
  const draft = new Draft(deployment);
  checkNamespaces(props, settings, draft);
  if (settings.createNamespaces) checkCreatedNamespaces(settings, draft);
  else warnOfMissingNamespaces(operator, settings, index);
  checkPods(props, draft);
  checkEnvironment(props, draft);
  checkArguments(props, draft);
  checkLeaderElection(props, draft.at("replicas"));
  deploymentSpec(settings, props, draft);
  return draft.refusals;
}
