import type { ApiObject } from "cdk8s";
import { DEFAULT_SECRET } from "../api/config";
import { allProviders } from "../api/providers";
import type { FlipopOperatorProps } from "../operator-props";
import type { AppIndex } from "../private/app/app-index";
import { objectsOf } from "../private/app/claims";
import { warn } from "../private/app/emit-warning";
import { imageWarning } from "../private/app/image-warning";
import { needsOf } from "../private/app/needs";
import type { OperatorConstruct } from "../private/app/operator-construct";
import { objectAt } from "../private/manifest";
import { variablesWithoutPort } from "./network-policy";

interface OperatorObjects {
  readonly operator: OperatorConstruct;
  readonly deployment: ApiObject;
}

/** Warns about an operator that is valid, but probably not intended. */
export function warnAboutOperator({ operator, deployment }: OperatorObjects, index: AppIndex): void {
  const spec = objectAt(index.manifestOf(deployment).json, "spec");
  for (const { image } of objectsOf(objectAt(spec, "template", "spec").containers)) {
    const message = imageWarning(image);
    if (message !== undefined) warn(operator, `image: ${message}`);
  }
  if (spec.replicas === 1) {
    warn(operator, "replicas: while the only pod restarts or fails its health check, no address moves. Use 2 pods");
  }
  warnAboutTokens(operator, index);
  warnAboutOthers(operator, index);
}

/** The NetworkPolicy opens no port that only an expression in `env` names. With health checks, it opens all. */
export function warnAboutPorts(operator: OperatorConstruct, props: FlipopOperatorProps): void {
  const { networkPolicy = false, networkPolicyPorts = [] } = props;
  if (!networkPolicy || networkPolicyPorts.length > 0 || operator._reach.features.includes("healthchecks")) return;
  for (const variable of variablesWithoutPort(props)) {
    const problem = "is an expression, so the NetworkPolicy does not open its port, unless that is 443 or 6443";
    warn(operator, `env.${variable}: ${problem}: list the port in networkPolicyPorts`);
  }
}

/** Each operator has a Lease of its own, so two that watch a namespace both act there. The later one warns. */
function warnAboutOthers(operator: OperatorConstruct, index: AppIndex): void {
  const { watchNamespaces } = operator._reach;
  const other = index
    .operatorsFor(operator)
    .find((one) => index.isBefore(one, operator) && shares(one._reach.watchNamespaces, watchNamespaces));
  if (!other || other._reach.namespace === operator._reach.namespace) return;
  const both = watchNamespaces.filter((name) => other._reach.watchNamespaces.includes(name));
  const what = both.length > 0 ? `namespace ${both.join(", ")}` : "namespaces that this one watches";
  warn(
    operator,
    `watchNamespaces: operator ${other.node.path} also watches ${what}, so both would act on the same resources: give each operator its own watchNamespaces, or set prop cluster if the charts are for different clusters`,
  );
}

/** Whether two lists have a namespace in common. An empty list means all namespaces. */
function shares(one: readonly string[], other: readonly string[]): boolean {
  return one.length === 0 || other.length === 0 || one.some((name) => other.includes(name));
}

/** An operator that gets some tokens through props probably needs the others there too. */
function warnAboutTokens(operator: OperatorConstruct, index: AppIndex): void {
  const { namespace, tokenVariables } = operator._reach;
  if (tokenVariables.length === 0 || index.coreObject("Secret", { name: DEFAULT_SECRET, namespace }, operator)) return;
  const used = new Set(
    index
      .allFlipopObjects()
      .filter(({ object }) => index.clusterOf(object) === index.clusterOf(operator))
      .flatMap(({ kind, spec }) => needsOf({ kind, spec, namespace: undefined }))
      .flatMap(({ what, value }) => (what === "provider" ? value : [])),
  );
  for (const { name, prop, title, tokenVariable } of allProviders()) {
    if (!used.has(name) || tokenVariables.includes(tokenVariable)) continue;
    warn(
      operator,
      `${prop}: resources of the app use ${title}, but no prop gives its token: set ${prop}, or put entry ${tokenVariable} into Secret "${DEFAULT_SECRET}" of namespace "${namespace}"`,
    );
  }
}
