import { Size } from "cdk8s";
import { type FlipopOperatorProps, MetricsScrape, OperatorFeature, Toleration } from "../../src";

/** Props with which an operator has every object, and several Roles of each purpose. */
export const FULL_OPERATOR: FlipopOperatorProps = {
  name: "whole",
  namespace: "whole",
  features: Object.values(OperatorFeature),
  watchNamespaces: ["team-a", "team-b"],
  podNamespaces: ["team-a", "team-b"],
  issuerNamespaces: ["team-a", "team-b"],
  jobNamespaces: ["whole-jobs", "more-jobs"],
  imagePullSecrets: ["pull"],
  nodeSelector: { pool: "infra" },
  tolerations: [Toleration.all()],
  podAnnotations: { "example.com/team": "edge" },
  affinity: { podAntiAffinity: {} },
  tokenFiles: true,
  cpuLimit: "1",
  memoryLimit: Size.gibibytes(1),
  env: { HTTPS_PROXY: "http://egress.example:8080" },
  extraArgs: ["--log-format=json"],
  networkPolicy: true,
  scrape: MetricsScrape.SERVICE_MONITOR,
  alertRules: true,
  dashboard: true,
  monitoringLabels: { release: "prometheus" },
};
