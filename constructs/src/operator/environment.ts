import { PORTS } from "../api/config";
import type { FlipopOperatorProps } from "../operator-props";
import type { OperatorSettings } from "./props-with-defaults";
import type { ProviderTokens } from "./provider-tokens";

/** The variable with the operator's own namespace, from the pod. */
export const NAMESPACE_VARIABLE = "FLIPOP_NAMESPACE";

/** The environment of the operator: facts of the pod, the tokens, and the user's variables. */
export function environment(props: FlipopOperatorProps, settings: OperatorSettings, tokens: ProviderTokens): object[] {
  return [
    fromPod(NAMESPACE_VARIABLE, "metadata.namespace"),
    ...(settings.features.includes("healthchecks") ? witnessVariables() : []),
    ...tokens.variables,
    ...Object.entries(props.env ?? {}).map(([name, value]) => ({ name, value })),
  ];
}

/** So that replicas ask each other about their probes. The brackets are for IPv6; IPv4 allows them. */
function witnessVariables(): object[] {
  return [
    fromPod("FLIPOP_NODE_NAME", "spec.nodeName"),
    fromPod("POD_IP", "status.podIP"),
    { name: "FLIPOP_WITNESS_BIND_ADDR", value: `[$(POD_IP)]:${PORTS.witness}` },
  ];
}

function fromPod(name: string, fieldPath: string): object {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
