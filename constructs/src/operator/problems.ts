import { ApiObject } from "cdk8s";
import type { IConstruct } from "constructs";
import { LEASE_NAME } from "../api/names";
import { isObject } from "../api/schema/schema";
import type { FlipopOperatorProps } from "../operator-props";
import type { AppIndex } from "../private/app/app-index";
import { checkCluster } from "../private/app/chart-cluster";
import { checkNames } from "../private/app/check-names";
import { checkPlainServed } from "../private/app/check-served";
import type { OperatorConstruct } from "../private/app/operator-construct";
import { misfits, valuesOf } from "../private/prop-shapes";
import { Draft, type Refusal, UnusableArguments } from "../private/refusal-collector";
import { operatorTokenRefused, tokenPaths, withoutTokens } from "../private/tokens";
import { checkArguments } from "./checks/check-arguments";
import { checkEnvironment } from "./checks/check-environment";
import { checkNamespaces } from "./checks/check-namespaces";
import { checkPods } from "./checks/check-pods";
import { checkLeaderElection, checkSettings } from "./checks/check-settings";
import { checkTenantLimits } from "./checks/check-tenant-limits";
import { lateProps } from "./checks/late-props";
import { OPERATOR_SHAPES } from "./checks/operator-shapes";
import { deploymentSpec } from "./deployment";
import { checkCreatedNamespaces, warnOfMissingNamespaces } from "./namespaces";
import type { OperatorSettings } from "./props-with-defaults";
import { warnAboutOperator, warnAboutPorts } from "./warnings";

/** The inputs for the checks of an operator. */
export interface OperatorParts {
  readonly operator: OperatorConstruct;
  readonly deployment: ApiObject;
  readonly settings: OperatorSettings;
  /** All props. */
  readonly given: FlipopOperatorProps;
  /** Those that the constructor could not use. */
  readonly unusable: readonly Refusal[];
}

/** Every problem of the props: the prop, the actual value and the fix, but no token. Empty: the props are valid. */
export function operatorProblems(parts: OperatorParts, index: AppIndex): readonly Refusal[] {
  const draft = new Draft(parts.deployment);
  const props = lateProps(parts.given, draft);
  const unusable = [...parts.unusable, ...draft.refusals];
  const misfit = unusable.length > 0 ? unusable : misfits(props, OPERATOR_SHAPES);
  const refusals = misfit.length > 0 ? misfit : refusalsOf(parts, { props, index });
  const inProps = isObject(props) ? tokenPaths(valuesOf(props, OPERATOR_SHAPES), "") : [];
  return withoutTokens(refusals, inProps.length > 0 ? inProps : patchedTokens(parts, index), operatorTokenRefused());
}

/** The paths of tokens that only patches, or changes of metadata, put into the objects. */
function patchedTokens({ operator }: OperatorParts, index: AppIndex): readonly string[] {
  return objectsOf(operator).flatMap((object) => tokenPaths(index.manifestOf(object).json, object.kind));
}

interface LateFacts {
  /** The props without tokens. */
  readonly props: FlipopOperatorProps;
  readonly index: AppIndex;
}

function refusalsOf(parts: OperatorParts, { props, index }: LateFacts): readonly Refusal[] {
  const { operator, deployment, settings } = parts;
  const draft = new Draft(deployment);
  checkCluster(operator, props.cluster, draft);
  checkTwins(parts, index, draft);
  checkNamespaces(props, settings, draft);
  if (settings.createNamespaces) checkCreatedNamespaces(settings, draft);
  else warnOfMissingNamespaces(operator, settings, index);
  checkPods(props, draft);
  checkEnvironment(props, draft);
  checkArguments(props, draft);
  checkTenantLimits(props, draft);
  checkSettings(props, draft);
  checkLeaderElection(props, draft.at("replicas"));
  try {
    deploymentSpec(settings, props, draft);
  } catch (error) {
    if (!(error instanceof UnusableArguments)) throw error;
  }
  checkPlainServed(operator, { index, draft });
  warnAboutOperator(parts, index);
  warnAboutPorts(operator, props);
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
  checkNames(
    { objects: objectsOf(operator), propOf: ({ kind }) => (kind === "Namespace" ? "createNamespaces" : "name"), draft },
    index,
  );
}

function objectsOf(operator: IConstruct): readonly ApiObject[] {
  const constructs: readonly IConstruct[] = operator.node.findAll();
  return constructs.filter((construct) => ApiObject.isApiObject(construct));
}
