/** The names of an object's fields, and the objects in them. A list has the fields of its items. */
export interface Fields {
  readonly names: string;
  readonly inside?: Readonly<Record<string, Fields>>;
}

const EXPRESSION: Fields = { names: "key operator values" };
const SELECTOR: Fields = { names: "matchExpressions matchLabels", inside: { matchExpressions: EXPRESSION } };
const NODE_TERM: Fields = {
  names: "matchExpressions matchFields",
  inside: { matchExpressions: EXPRESSION, matchFields: EXPRESSION },
};
const POD_TERM: Fields = {
  names: "labelSelector matchLabelKeys mismatchLabelKeys namespaceSelector namespaces topologyKey",
  inside: { labelSelector: SELECTOR, namespaceSelector: SELECTOR },
};

function rules(required: Fields, preferred: Fields): Fields {
  return {
    names: "preferredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution",
    inside: {
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
      requiredDuringSchedulingIgnoredDuringExecution: required,
    },
  };
}

const POD_RULES = rules(POD_TERM, { names: "podAffinityTerm weight", inside: { podAffinityTerm: POD_TERM } });

/** A pod's affinity. */
export const AFFINITY: Fields = {
  names: "nodeAffinity podAffinity podAntiAffinity",
  inside: {
    nodeAffinity: rules(
      { names: "nodeSelectorTerms", inside: { nodeSelectorTerms: NODE_TERM } },
      { names: "preference weight", inside: { preference: NODE_TERM } },
    ),
    podAffinity: POD_RULES,
    podAntiAffinity: POD_RULES,
  },
};

const SECCOMP: Fields = { names: "localhostProfile type" };
const POD_SECURITY: Fields = {
  names:
    "appArmorProfile fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy seLinuxOptions seccompProfile supplementalGroups supplementalGroupsPolicy sysctls windowsOptions",
  inside: { seccompProfile: SECCOMP },
};
const CONTAINER_SECURITY: Fields = {
  names:
    "allowPrivilegeEscalation appArmorProfile capabilities privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions seccompProfile windowsOptions",
  inside: { capabilities: { names: "add drop" }, seccompProfile: SECCOMP },
};
const KEY: Fields = { names: "key name optional" };
const ITEM: Fields = { names: "key mode path" };
const PROBE: Fields = {
  names:
    "exec failureThreshold grpc httpGet initialDelaySeconds periodSeconds successThreshold tcpSocket terminationGracePeriodSeconds timeoutSeconds",
  inside: { exec: { names: "command" }, httpGet: { names: "host httpHeaders path port scheme" } },
};
const CONTAINER: Fields = {
  names:
    "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir",
  inside: {
    env: {
      names: "name value valueFrom",
      inside: {
        valueFrom: {
          names: "configMapKeyRef fieldRef fileKeyRef resourceFieldRef secretKeyRef",
          inside: { configMapKeyRef: KEY, fieldRef: { names: "apiVersion fieldPath" }, secretKeyRef: KEY },
        },
      },
    },
    envFrom: {
      names: "configMapRef prefix secretRef",
      inside: { configMapRef: { names: "name optional" }, secretRef: { names: "name optional" } },
    },
    livenessProbe: PROBE,
    ports: { names: "containerPort hostIP hostPort name protocol" },
    readinessProbe: PROBE,
    resources: { names: "claims limits requests" },
    securityContext: CONTAINER_SECURITY,
    startupProbe: PROBE,
    volumeMounts: { names: "mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr" },
  },
};
const VOLUME: Fields = {
  names:
    "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral fc flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath image iscsi name nfs persistentVolumeClaim photonPersistentDisk portworxVolume projected quobyte rbd scaleIO secret storageos vsphereVolume",
  inside: {
    configMap: { names: "defaultMode items name optional", inside: { items: ITEM } },
    emptyDir: { names: "medium sizeLimit" },
    persistentVolumeClaim: { names: "claimName readOnly" },
    secret: { names: "defaultMode items optional secretName", inside: { items: ITEM } },
  },
};

/** A pod's spec. */
export const POD: Fields = {
  names:
    "activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes workloadRef",
  inside: {
    affinity: AFFINITY,
    containers: CONTAINER,
    imagePullSecrets: { names: "name" },
    initContainers: CONTAINER,
    securityContext: POD_SECURITY,
    tolerations: { names: "effect key operator tolerationSeconds value" },
    topologySpreadConstraints: {
      names:
        "labelSelector matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable",
      inside: { labelSelector: SELECTOR },
    },
    volumes: VOLUME,
  },
};
