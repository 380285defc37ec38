import type { FlipopOperatorProps } from "../operator-props";

/** Requests and limits of an operator pod. */
export function podResources(props: FlipopOperatorProps) {
  const { cpuRequest = "50m", cpuLimit, memoryRequest = "128Mi", memoryLimit = "512Mi" } = props;
  return { cpuRequest, cpuLimit, memoryRequest, memoryLimit };
}

/** The resources of the container. */
export function containerResources(props: FlipopOperatorProps): object {
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = podResources(props);
  return {
    requests: { cpu: cpuRequest, memory: memoryRequest },
    limits: { memory: memoryLimit, ...(cpuLimit === undefined ? {} : { cpu: cpuLimit }) },
  };
}
