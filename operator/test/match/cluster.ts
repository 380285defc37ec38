/** Nodes and pods for the tests of match. */

import type { Match } from "cdk8s-flipop/api";
import type { SlimNode, Taint } from "../../src/kube/cache/slim-objects.js";
import { type CompiledMatch, compileMatch } from "../../src/match/compile-match.js";
import { type NodeFacts, nodeFacts } from "../../src/match/node-facts.js";
import type { MachineIds } from "../../src/providers/types.js";

/** A healthy node; its providerID is `digitalocean://<name>`. */
export function slimNode(name: string, more: Partial<SlimNode> = {}): SlimNode {
  return Object.freeze({
    uid: `uid-${name}`,
    name,
    namespace: undefined,
    labels: {},
    annotations: {},
    providerID: `digitalocean://${name}`,
    unschedulable: false,
    taints: undefined,
    addresses: [],
    conditions: [readyCondition("True")],
    kubeletVersion: "v1.32.0",
    creationTimestamp: "2025-01-01T00:00:00Z",
    deletionTimestamp: undefined,
    ...more,
  });
}

export function readyCondition(status: "True" | "False" | "Unknown") {
  return { type: "Ready", status, reason: "Tested", lastTransitionTime: "2025-01-01T00:00:00Z" };
}

export const NOT_READY = { conditions: [readyCondition("False")] };

export function facts(name: string, more: Partial<SlimNode> = {}): NodeFacts {
  return nodeFacts(slimNode(name, more));
}

export function taint(key: string, effect = "NoSchedule"): Taint {
  return { key, effect };
}

/** @throws where the match can't be used. */
export function compiled(spec: Match, machines?: MachineIds): CompiledMatch {
  const result = compileMatch(spec, machines);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join("; "));
  return result.match;
}
