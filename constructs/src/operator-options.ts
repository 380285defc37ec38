/** A part of the operator that can be switched on. */
export enum OperatorFeature {
  /** FloatingIPPool: addresses that follow nodes. */
  POOLS = "pools",
  /** NodeDNSRecordSet: records that follow nodes. */
  DNS = "dns",
  /** RoutedIP, RoutedIPIssuer and ClusterRoutedIPClass: addresses that follow a Service. */
  ROUTED_IP = "routedip",
  /** Jobs of a ClusterRoutedIPClass: custom implementations. */
  JOBS = "jobs",
}

/** How Prometheus finds the operator's metrics: a kind of the Prometheus operator. */
export enum MetricsScrape {
  /** A ServiceMonitor on the metrics Service. */
  SERVICE_MONITOR = "ServiceMonitor",
  /** A PodMonitor on the pods, where Services are not to be used. */
  POD_MONITOR = "PodMonitor",
}
