import { IMAGE, PORTS } from "../api/config";
import type { Toleration } from "../match/toleration";
import type { FlipopOperatorProps } from "../operator-props";
import type { Draft } from "../private/refusal-collector";
import { operatorArguments, shutdownSeconds } from "./arguments";
import { environment } from "./environment";
import type { OperatorSettings } from "./props-with-defaults";
import { type ProviderTokens, providerTokens } from "./provider-tokens";
import { containerResources } from "./resources";

/** User and group of the image. */
const NON_ROOT = 65532;
/** Time between the operator's own deadline and the kubelet's SIGKILL. */
const GRACE_MARGIN_SECONDS = 10;

/** Names of the container's ports. */
export const PORT_NAMES = { metrics: "metrics", health: "health", witness: "witness" } as const;

/** The template of the operator's pods, valid in a namespace with Pod Security "restricted". */
export function podTemplate(props: FlipopOperatorProps, settings: OperatorSettings, draft: Draft): object {
  const { podAnnotations = {}, affinity = defaultAffinity(settings) } = props;
  const tokens = providerTokens(props, draft);
  return {
    metadata: {
      labels: settings.labels,
      ...(Object.keys(podAnnotations).length > 0 ? { annotations: podAnnotations } : {}),
    },
    spec: {
      serviceAccountName: settings.serviceAccountName,
      automountServiceAccountToken: true,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: shutdownSeconds(props) + GRACE_MARGIN_SECONDS,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: NON_ROOT,
        runAsGroup: NON_ROOT,
        seccompProfile: { type: "RuntimeDefault" },
      },
      affinity,
      ...placement(props, draft),
      containers: [container(props, settings, tokens)],
      ...(tokens.volumes.length > 0 ? { volumes: tokens.volumes } : {}),
    },
  };
}

function container(props: FlipopOperatorProps, settings: OperatorSettings, tokens: ProviderTokens): object {
  return {
    name: "operator",
    image: props.image ?? imageOfEnvironment() ?? IMAGE,
    args: operatorArguments(props, settings),
    env: environment(props, settings, tokens),
    ports: containerPorts(settings),
    livenessProbe: probe("/healthz"),
    readinessProbe: probe("/readyz"),
    resources: containerResources(props),
    ...(tokens.mounts.length > 0 ? { volumeMounts: tokens.mounts } : {}),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

/** The image that the environment of the app names; undefined for none. */
export function imageOfEnvironment(): string | undefined {
  return process.env.FLIPOP_IMAGE || undefined;
}

function containerPorts({ features }: OperatorSettings): object[] {
  const names = features.includes("healthchecks") ? WITNESS_PORTS : USUAL_PORTS;
  return names.map((name) => ({ name: PORT_NAMES[name], containerPort: PORTS[name], protocol: "TCP" }));
}

const USUAL_PORTS = ["metrics", "health"] as const;
/** Those of an operator whose replicas ask each other about their probes. */
const WITNESS_PORTS = [...USUAL_PORTS, "witness"] as const;

function probe(path: string): object {
  return { httpGet: { path, port: PORT_NAMES.health }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 };
}

/**
 * Different nodes, and nodes that hold no address, so that the operator does not fail together with a holder.
 * @param holderLabels keys of the labels of nodes that hold an address
 */
export function defaultAffinity(
  settings: OperatorSettings,
  holderLabels: readonly string[] = [],
): NonNullable<FlipopOperatorProps["affinity"]> {
  const podAntiAffinity = apart(settings);
  return holderLabels.length === 0 ? { podAntiAffinity } : { podAntiAffinity, nodeAffinity: offHolders(holderLabels) };
}

/** One rule for all labels: it counts for a node that has none of them. */
function offHolders(holderLabels: readonly string[]): object {
  const matchExpressions = holderLabels.map((key) => ({ key, operator: "DoesNotExist" }));
  return { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, preference: { matchExpressions } }] };
}

/** The rule is only preferred, because two pods on one node are better than one pod. */
function apart({ selector }: OperatorSettings): object {
  return {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: selector } },
      },
    ],
  };
}

function placement(props: FlipopOperatorProps, draft: Draft): object {
  const { nodeSelector, tolerations = [], priorityClassName, imagePullSecrets = [] } = props;
  return {
    nodeSelector: { "kubernetes.io/os": "linux", ...nodeSelector },
    ...(tolerations.length > 0 ? { tolerations: podTolerations(tolerations, draft) } : {}),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(imagePullSecrets.length > 0 ? { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) } : {}),
  };
}

function podTolerations(tolerations: readonly Toleration[], draft: Draft): object[] {
  return tolerations.map((toleration, index) => toleration._write(draft.at(`tolerations[${index}]`)));
}
