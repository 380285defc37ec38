import { nearest } from "../../api/nearest";
import { isObject, type JsonObject } from "../../api/schema";
import type { Site } from "../draft";
import { shown } from "../part";

/** The names of an object's fields, and the objects in them. A list has the fields of its items. */
interface Fields {
  readonly names: string;
  readonly inside?: Readonly<Record<string, Fields>>;
}

const SECURITY: Fields = {
  names:
    "allowPrivilegeEscalation appArmorProfile capabilities fsGroup fsGroupChangePolicy privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy seLinuxOptions seccompProfile supplementalGroups supplementalGroupsPolicy sysctls windowsOptions",
};
const CONTAINER: Fields = {
  names:
    "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy resources restartPolicy securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir",
  inside: {
    env: { names: "name value valueFrom" },
    envFrom: { names: "configMapRef prefix secretRef" },
    resources: { names: "claims limits requests" },
    securityContext: SECURITY,
    volumeMounts: {
      names: "mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr",
    },
  },
};
const POD: Fields = {
  names:
    "activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks hostAliases hostIPC hostNetwork hostPID hostUsers hostname imagePullSecrets initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes",
  inside: { containers: CONTAINER, initContainers: CONTAINER, securityContext: SECURITY },
};
const JOB: Fields = {
  names:
    "activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy podReplacementPolicy selector successPolicy suspend template ttlSecondsAfterFinished",
  inside: { template: { names: "metadata spec", inside: { spec: POD } } },
};

/**
 * Refuses misspelt fields of a Job's spec: the API server would drop them when the operator creates the Job. A newer
 * Kubernetes may have more fields, so a field that resembles no other is accepted.
 */
export function checkFields(spec: JsonObject, site: Site, { names, inside = {} }: Fields = JOB): void {
  const known = names.split(" ");
  for (const [name, value] of Object.entries(spec)) {
    const at = site.below(`.${name}`);
    if (value === null) at.refuse("is null: remove it, or give a value");
    const meant = known.includes(name) ? undefined : nearest(name, known);
    if (meant !== undefined) at.refuse(`${shown(value)} is given, but there is no such field: use ${meant}`);
    const below = Object.hasOwn(inside, name) ? inside[name] : undefined;
    if (below) checkInside(value, at, below);
  }
}

function checkInside(value: unknown, site: Site, fields: Fields): void {
  if (isObject(value)) checkFields(value, site, fields);
  const items = Array.isArray(value) ? [...value.entries()] : [];
  for (const [index, item] of items) if (isObject(item)) checkFields(item, site.below(`[${index}]`), fields);
}
