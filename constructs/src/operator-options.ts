/** A part of the operator that can be enabled, with the permissions that it needs. */
export enum OperatorFeature {
  /** FloatingIPPool: addresses that follow nodes. */
  POOLS = "pools",
  /** NodeDNSRecordSet: records that follow nodes. */
  DNS = "dns",
  /** RoutedIP, RoutedIPIssuer and ClusterRoutedIPClass: addresses that follow a Service. */
  ROUTED_IP = "routedip",
  /**
   * Jobs of a ClusterRoutedIPClass, for custom implementations. Disabled by default, because it needs the permission to
   * run Jobs.
   */
  JOBS = "jobs",
}

/** The kind of the Prometheus operator through which Prometheus finds the operator's metrics. */
export enum MetricsScrape {
  /** A ServiceMonitor on the metrics Service. */
  SERVICE_MONITOR = "ServiceMonitor",
  /** A PodMonitor on the pods; it does not use the metrics Service. */
  POD_MONITOR = "PodMonitor",
}
