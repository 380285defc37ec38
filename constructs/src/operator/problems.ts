import type { ApiObject } from "cdk8s";
import type { FlipopOperatorProps } from "../operator-props";
import { Draft, type Refusal } from "../private/draft";
import { checkArguments } from "./check-arguments";
import { checkEnvironment } from "./check-environment";
import { checkNamespaces } from "./check-namespaces";
import { checkPods } from "./check-pods";
import { deploymentSpec } from "./deployment";
import { checkLeaderElection } from "./leader-election";
import type { OperatorSettings } from "./settings";

/** The inputs for the checks of an operator. */
export interface OperatorParts {
  readonly deployment: ApiObject;
  readonly settings: OperatorSettings;
  readonly props: FlipopOperatorProps;
}

/** Every problem of the props: the prop, the actual value and the fix. Empty: the props are valid. */
export function operatorProblems({ deployment, settings, props }: OperatorParts): readonly Refusal[] {
  const draft = new Draft(deployment);
  checkNamespaces(props, settings, draft);
  checkPods(props, draft);
  checkEnvironment(props, draft);
  checkArguments(props, draft);
  checkLeaderElection(props, draft.at("replicas"));
  deploymentSpec(settings, props, draft);
  return draft.refusals;
}
