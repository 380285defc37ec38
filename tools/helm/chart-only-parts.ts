/** Parts of the chart that no prop of the construct has. */

import { BLOCK, PULL_POLICY } from "./sentinels.js";

/** The parts of a Deployment that the chart changes. */
export interface Deployment {
  readonly metadata: { readonly namespace?: string; readonly labels: Labels };
  readonly spec: { readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec } };
}

type Labels = Readonly<Record<string, string>>;

interface PodSpec {
  readonly affinity: object;
  readonly containers: readonly Container[];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly object[];
}

/**
 * A Deployment with the variables of both forms of the tokens, the volumes of the second form, and the values of the
 * chart that replace props or have none.
 */
export function withChartValues(one: Deployment, two: Deployment): Deployment {
  const [{ spec: pod }, { spec: filePod, metadata }] = [one.spec.template, two.spec.template];
  const containers = filePod.containers.map((container, index) => ({
    ...container,
    imagePullPolicy: PULL_POLICY,
    env: bothForms(pod.containers[index]?.env ?? [], container.env),
    resources: { [BLOCK]: "resources" },
  }));
  const spec = { ...filePod, affinity: { ...pod.affinity, [BLOCK]: "affinity" }, containers };
  const labels = { ...metadata.labels, [BLOCK]: "podLabels" };
  return { ...two, spec: { ...two.spec, template: { metadata: { ...metadata, labels }, spec } } };
}

function bothForms(variables: readonly object[], withFiles: readonly object[]): readonly object[] {
  return withFiles.flatMap((variable, at) => {
    const first = variables[at];
    return JSON.stringify(first) === JSON.stringify(variable) || !first ? [variable] : [first, variable];
  });
}

/** Flags of the operator that `doctor` needs too. */
const DOCTOR_FLAGS = /^--(features|(watch|pod|issuer|job)-namespaces)=/;
const NAME_LABEL = "app.kubernetes.io/name";

/**
 * The pod of `helm test`: it runs \`flipop doctor\` with the ServiceAccount, the tokens and the image of the operator. No
 * selector of the operator's objects matches its labels.
 */
export function testPod({ metadata, spec: { template } }: Deployment): object {
  const [container] = template.spec.containers;
  if (!container) throw new Error("the Deployment has no container");
  const { args, ...kept } = container;
  const { ports, livenessProbe, readinessProbe, ...same } = kept as Container & Readonly<Record<string, unknown>>;
  const flags = args.filter((arg) => DOCTOR_FLAGS.test(arg));
  const { terminationGracePeriodSeconds, affinity, ...pod } = template.spec as PodSpec &
    Readonly<Record<string, unknown>>;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "helm-name-test",
      namespace: metadata.namespace,
      labels: { ...metadata.labels, [NAME_LABEL]: "flipop-test" },
      annotations: { "helm.sh/hook": "test", "helm.sh/hook-delete-policy": "before-hook-creation" },
    },
    spec: {
      ...pod,
      restartPolicy: "Never",
      containers: [{ ...same, name: "doctor", args: ["doctor", "--self", "--namespace=helm-namespace", ...flags] }],
    },
  };
}
