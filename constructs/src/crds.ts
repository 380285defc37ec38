import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { customResourceDefinition } from "./api/crd";
import { KINDS, type KindName } from "./api/kinds";
import { clusterObject } from "./operator/cluster-object";

/**
 * The CustomResourceDefinitions (CRDs) of the five kinds. Put them into a separate chart, and apply it first: the API
 * server rejects resources of a kind until its CRD is Established.
 */
export class FlipopCrds extends Construct {
  /** The CRD of FloatingIPPool. */
  public readonly floatingIpPool: ApiObject;
  /** The CRD of NodeDNSRecordSet. */
  public readonly nodeDnsRecordSet: ApiObject;
  /** The CRD of RoutedIP. */
  public readonly routedIp: ApiObject;
  /** The CRD of RoutedIPIssuer. */
  public readonly routedIpIssuer: ApiObject;
  /** The CRD of ClusterRoutedIPClass. */
  public readonly clusterRoutedIpClass: ApiObject;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.floatingIpPool = this.define("FloatingIPPool");
    this.nodeDnsRecordSet = this.define("NodeDNSRecordSet");
    this.routedIp = this.define("RoutedIP");
    this.routedIpIssuer = this.define("RoutedIPIssuer");
    this.clusterRoutedIpClass = this.define("ClusterRoutedIPClass");
  }

  private define(kind: KindName): ApiObject {
    return clusterObject(this, kind, { ...customResourceDefinition(KINDS[kind]) });
  }
}
