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
  /**
   * `healthCheck` of resources: probes of the nodes, and no moves in a mass failure. Disabled by default, because it needs
   * the permission to read the kubelets' Leases.
   */
  HEALTH_CHECKS = "healthchecks",
  /**
   * Record sets of provider `external-dns`: DNSEndpoint objects in the operator's namespace, which external-dns publishes.
   * Disabled by default, because it needs the permission to write these objects.
   */
  EXTERNAL_DNS = "externaldns",
  /**
   * `publishTo` of resources: the status of Services of type LoadBalancer and of Gateways shows the active addresses. Disabled
   * by default, because it needs the permission to write the status of Services and Gateways.
   */
  PUBLISH = "publish",
}

/** The kind of the Prometheus operator through which Prometheus finds the operator's metrics. */
export enum MetricsScrape {
  /** A ServiceMonitor on the metrics Service. */
  SERVICE_MONITOR = "ServiceMonitor",
  /** A PodMonitor on the pods; it does not use the metrics Service. */
  POD_MONITOR = "PodMonitor",
}

/** The permissions on the five kinds that users get through Kubernetes' built-in roles. */
export enum AggregatedUserRoles {
  /** None: bind the two ClusterRoles of the operator yourself. */
  NONE = "None",
  /** Users with the role `view`, `edit` or `admin` may read the five kinds. */
  VIEW = "View",
  /** Users with the role `edit` or `admin` may also write the namespaced kinds. */
  EDIT = "Edit",
}
