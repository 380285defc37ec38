/** A part of the operator that can be enabled, with the permissions that it needs. */
export enum OperatorFeature {
  /** FloatingIPPool: addresses that follow nodes. */
  POOLS = "pools",
  /** NodeDNSRecordSet: records that follow nodes. */
  DNS = "dns",
  /** RoutedIP, RoutedIPIssuer and ClusterRoutedIPClass: addresses that follow a Service. */
  ROUTED_IP = "routedip",
  /** Jobs of a ClusterRoutedIPClass, for custom implementations. Off by default, since it needs the permission to run Jobs. */
  JOBS = "jobs",
}

/** How Prometheus finds the operator's metrics: a kind of the Prometheus operator. */
export enum MetricsScrape {
  /** A ServiceMonitor on the metrics Service. */
  SERVICE_MONITOR = "ServiceMonitor",
  /** A PodMonitor on the pods; it does without the metrics Service. */
  POD_MONITOR = "PodMonitor",
}
