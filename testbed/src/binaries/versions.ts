/** The Kubernetes release that the test control plane runs. */
export const KUBERNETES_VERSION = "v1.35.4";

/** The etcd release in the same executable. */
export const ETCD_VERSION = "v3.6.5";

/** The programs of a control plane, by the names of their executables. */
export const PARTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const;

/** Name of one program of a control plane. */
export type PartName = (typeof PARTS)[number];
