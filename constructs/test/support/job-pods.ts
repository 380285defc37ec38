import { fullResources } from "./full-resources";

interface Container {
  readonly name: string;
  readonly securityContext: Readonly<Record<string, unknown>>;
}

/** The parts that the tests weaken. */
export interface PodSpec {
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly [field: string]: unknown;
}

interface JobSpec {
  readonly template: { readonly spec: PodSpec };
}

/** The spec of a Job from RoutedIPJob.container. */
export function containerJobSpec(): JobSpec {
  const specs = fullResources().flatMap(({ spec }) => spec["updateRoutedIP"] ?? []);
  if (specs.length !== 1) throw new Error(`${specs.length} classes have Jobs, expected one`);
  return specs[0] as JobSpec;
}

/** The spec of that Job's pod. */
export function restrictedPodSpec(): PodSpec {
  return containerJobSpec().template.spec;
}

/** Ways to weaken the pod, all of which Pod Security "restricted" rejects. */
export const LOOSENED = [
  {
    name: "a user that may be root",
    loosen: (pod: PodSpec) => ({ ...pod, securityContext: { ...pod.securityContext, runAsNonRoot: false } }),
    says: "runAsNonRoot != true",
  },
  {
    name: "root",
    loosen: (pod: PodSpec) => ({ ...pod, securityContext: { ...pod.securityContext, runAsUser: 0 } }),
    says: "runAsUser=0",
  },
  {
    name: "no seccomp profile",
    loosen: (pod: PodSpec) => ({ ...pod, securityContext: { ...pod.securityContext, seccompProfile: undefined } }),
    says: "seccompProfile",
  },
  {
    name: "privilege escalation",
    loosen: (pod: PodSpec) => withContainer(pod, { allowPrivilegeEscalation: true }),
    says: "allowPrivilegeEscalation != false",
  },
  {
    name: "its capabilities",
    loosen: (pod: PodSpec) => withContainer(pod, { capabilities: undefined }),
    says: "unrestricted capabilities",
  },
];

function withContainer(pod: PodSpec, securityContext: object): PodSpec {
  const containers = pod.containers.map((container) => ({
    ...container,
    securityContext: { ...container.securityContext, ...securityContext },
  }));
  return { ...pod, containers };
}
