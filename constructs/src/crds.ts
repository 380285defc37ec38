import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { customResourceDefinition } from "./api/crd";
import { KINDS, type KindName } from "./api/kinds";
import { clusterObject } from "./operator/cluster-object";

/**
 * The CustomResourceDefinitions of the five kinds. Put them into a chart of their own: they must be applied, and be
 * Established, before the first resource of these kinds.
 */
export class FlipopCrds extends Construct {
  /** The definition of FloatingIPPool. */
  public readonly floatingIpPool: ApiObject;
  /** The definition of NodeDNSRecordSet. */
  public readonly nodeDnsRecordSet: ApiObject;
  /** The definition of RoutedIP. */
  public readonly routedIp: ApiObject;
  /** The definition of RoutedIPIssuer. */
  public readonly routedIpIssuer: ApiObject;
  /** The definition of ClusterRoutedIPClass. */
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
