/** What people do with kubectl. Each returns what it did, for people. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import type { Emulator } from "../../kubernetes/index.js";
import { at, listOf, objectOf, textOf } from "../../kubernetes/json.js";
import { mergePatch } from "../../kubernetes/write/patch-merge.js";
import type { ClusterStep, Manifest, ObjectName } from "../scenario/scenario.js";
import type { Stage } from "../stage.js";

/** Where kinds are that scenarios name without their group. */
const GROUPS: Readonly<Record<string, string>> = {
  ...{ FloatingIPPool: GROUP_VERSION, NodeDNSRecordSet: GROUP_VERSION, RoutedIP: GROUP_VERSION },
  ...{ RoutedIPIssuer: GROUP_VERSION, ClusterRoutedIPClass: GROUP_VERSION },
  ...{ DaemonSet: "apps/v1", Deployment: "apps/v1" },
};

export function playCluster(stage: Stage, step: ClusterStep): string {
  const { kubernetes } = stage.world;
  switch (step.do) {
    case "apply":
      // An object that two manifests contain, such as a namespace, is printed once.
      return `apply: ${[...new Set(step.objects.map((object) => apply(kubernetes, object)))].join(", ")}`;
    case "patch": {
      const object = find(kubernetes, step.object);
      kubernetes.change(object, (old) => objectOf(mergePatch(old, step.merge)));
      return `${nameText(step.object)} is changed: ${JSON.stringify(step.merge)}`;
    }
    case "delete":
      kubernetes.delete(find(kubernetes, step.object));
      return `${nameText(step.object)} is deleted`;
    case "rollout":
      restart(stage, step.object);
      return `${nameText(step.object)} gets new pods, one after the other`;
  }
}

/** As `kubectl rollout restart` does. */
function restart({ world: { kubernetes }, clock }: Stage, object: ObjectName): void {
  const annotations = { "kubectl.kubernetes.io/restartedAt": new Date(clock.now()).toISOString() };
  const merge = { spec: { template: { metadata: { annotations } } } };
  kubernetes.change(find(kubernetes, object), (old) => objectOf(mergePatch(old, merge)));
}

/** Creates it, or merges it into what is there. */
function apply(kubernetes: Emulator, manifest: Manifest): string {
  const { apiVersion, kind } = manifest;
  const ref = { apiVersion, kind, ...manifest.metadata };
  const known = kubernetes.get(ref);
  if (known === undefined) kubernetes.create(manifest);
  else kubernetes.change(ref, (old) => objectOf(mergePatch(old, manifest)));
  return labelOfManifest(manifest);
}

function find(kubernetes: Emulator, { kind, namespace, name }: ObjectName) {
  const ref = { apiVersion: GROUPS[kind] ?? "v1", kind, name, ...(namespace === undefined ? {} : { namespace }) };
  if (kubernetes.get(ref) === undefined)
    throw new Error(`there is no ${kind} ${namespace ?? ""}/${name}: apply it first`);
  return ref;
}

/** The message of the condition that has the reason; `undefined`: none has it. @throws if there is no such object */
export function refusalOf({ world: { kubernetes } }: Stage, object: ObjectName, reason: string): string | undefined {
  const conditions = listOf(at(kubernetes.get(find(kubernetes, object)), "status", "conditions"));
  const refusing = conditions.find((condition) => at(condition, "reason") === reason);
  return refusing === undefined ? undefined : textOf(at(refusing, "message"));
}

export function labelOfManifest({ kind, metadata: { namespace, name } }: Manifest): string {
  return nameText({ kind, namespace, name });
}

export function nameText({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
