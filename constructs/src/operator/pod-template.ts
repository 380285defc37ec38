import { IMAGE, PORTS } from "../api/config";
import type { FlipopOperatorProps } from "../operator-props";
import type { Draft } from "../private/draft";
import type { Toleration } from "../toleration";
import { operatorArguments, shutdownSeconds } from "./arguments";
import { environment } from "./environment";
import { containerResources } from "./resources";
import type { OperatorSettings } from "./settings";

/** User and group of the image. */
const NON_ROOT = 65532;
/** Time between the operator's own deadline and the kubelet's SIGKILL. */
const GRACE_MARGIN_SECONDS = 10;

/** Names of the container's ports. */
export const PORT_NAMES = { metrics: "metrics", health: "health" } as const;

/** The template of the operator's pods, valid in a namespace with Pod Security "restricted". */
export function podTemplate(props: FlipopOperatorProps, settings: OperatorSettings, draft: Draft): object {
  return {
    metadata: { labels: settings.labels },
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
      affinity: { podAntiAffinity: apart(settings) },
      ...placement(props, draft),
      containers: [container(props, settings, draft)],
    },
  };
}

function container(props: FlipopOperatorProps, settings: OperatorSettings, draft: Draft): object {
  return {
    name: "operator",
    image: props.image ?? IMAGE,
    args: operatorArguments(props, settings),
    env: environment(props, draft),
    ports: [
      { name: PORT_NAMES.metrics, containerPort: PORTS.metrics, protocol: "TCP" },
      { name: PORT_NAMES.health, containerPort: PORTS.health, protocol: "TCP" },
    ],
    livenessProbe: probe("/healthz"),
    readinessProbe: probe("/readyz"),
    resources: containerResources(props),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

function probe(path: string): object {
  return { httpGet: { path, port: PORT_NAMES.health }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 };
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
