import { ApiObject } from "cdk8s";
import type { Construct, IConstruct } from "constructs";
import { LEASE_NAME } from "../api/names";
import { isObject } from "../api/schema";
import type { FlipopOperatorProps } from "../operator-props";
import type { AppIndex } from "../private/app/app-index";
import { checkNames } from "../private/app/check-names";
import { checkCluster } from "../private/app/cluster-name";
import { UnusableArguments } from "../private/arguments";
import { Draft, type Refusal } from "../private/draft";
import { valuesOf } from "../private/props";
import { operatorTokenRefused, tokenPaths, withoutTokens } from "../private/tokens";
import { checkArguments } from "./check-arguments";
import { checkEnvironment } from "./check-environment";
import { checkNamespaces } from "./check-namespaces";
import { checkPods } from "./check-pods";
import { OPERATOR_SHAPES } from "./check-types";
import { deploymentSpec } from "./deployment";
import { checkLeaderElection } from "./leader-election";
import { checkCreatedNamespaces, warnOfMissingNamespaces } from "./namespaces";
import type { OperatorSettings } from "./settings";

/** The inputs for the checks of an operator. */
export interface OperatorParts {
  readonly operator: Construct;
  readonly deployment: ApiObject;
  readonly settings: OperatorSettings;
  /** The usable props. */
  readonly props: FlipopOperatorProps;
  /** All props. */
  readonly given: FlipopOperatorProps;
  readonly unusable: readonly Refusal[];
}

/** Every problem of the props: the prop, the actual value and the fix, but no token. Empty: the props are valid. */
export function operatorProblems(parts: OperatorParts, index: AppIndex): readonly Refusal[] {
  const { given, unusable } = parts;
  const refusals = unusable.length > 0 ? unusable : refusalsOf(parts, index);
  return withoutTokens(
    refusals,
    isObject(given) ? tokenPaths(valuesOf(given, OPERATOR_SHAPES), "") : [],
    operatorTokenRefused(),
  );
}

function refusalsOf(parts: OperatorParts, index: AppIndex): readonly Refusal[] {
  const { operator, deployment, settings, props } = parts;
  const draft = new Draft(deployment);
  checkCluster(operator, props.cluster, draft);
  checkTwins(parts, index, draft);
  checkNamespaces(props, settings, draft);
  if (settings.createNamespaces) checkCreatedNamespaces(settings, draft);
  else warnOfMissingNamespaces(operator, settings, index);
  checkPods(props, draft);
  checkEnvironment(props, draft);
  checkArguments(props, draft);
  checkLeaderElection(props, draft.at("replicas"));
  try {
    deploymentSpec(settings, props, draft);
  } catch (error) {
    if (!(error instanceof UnusableArguments)) throw error;
  }
  return draft.refusals;
}

/** What only one operator of a cluster may have: the name of the Lease is the same for all operators. */
export function leaseClaim({ namespace }: OperatorSettings): string {
  return `lease ${namespace}`;
}

/** Refuses a second operator in a namespace, and objects whose names belong to other objects. */
function checkTwins({ operator, settings }: OperatorParts, index: AppIndex, draft: Draft): void {
  const twin = index.earlierClaimant(leaseClaim(settings), operator);
  if (twin) {
    const lease = `both would use the Lease "${LEASE_NAME}", so only one would act`;
    const fix = "use another namespace, or set prop cluster if the charts are for different clusters";
    draft
      .at("namespace")
      .refuse(`"${settings.namespace}" is also the namespace of operator ${twin.node.path}, and ${lease}: ${fix}`);
    return;
  }
  const constructs: readonly IConstruct[] = operator.node.findAll();
  const objects = constructs.filter((construct) => ApiObject.isApiObject(construct));
  checkNames({ objects, propOf: ({ kind }) => (kind === "Namespace" ? "createNamespaces" : "name"), draft }, index);
}
