import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { KINDS, type KindName } from "./api/kinds/kinds";
import { customResourceDefinition } from "./api/schema/crd";
import { clusterObject } from "./operator/cluster-object";
import { appIndex } from "./private/app/app-index";
import { checkCluster, nameCluster } from "./private/app/chart-cluster";
import { checkNames, registerObject } from "./private/app/check-names";
import { misfits } from "./private/prop-shapes";
import { PART } from "./private/prop-types";
import { Draft, toLine } from "./private/refusal-collector";

/** Props of the CustomResourceDefinitions. */
export interface FlipopCrdsProps {
  /**
   * Name of the chart's cluster, such as `prod`, for an app with charts for several clusters.
   * @default - all charts are for the same cluster
   */
  readonly cluster?: string;
}

/**
 * The CustomResourceDefinitions (CRDs) of the five kinds. Put them into a separate chart, and apply it first: the API
 * server rejects resources of a kind until its CRD is Established.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FlipopCrds, FlipopOperator } from "cdk8s-flipop";
 *
 * const app = new App();
 * new FlipopCrds(new Chart(app, "crds"), "crds");
 * new FlipopOperator(new Chart(app, "flipop"), "operator");
 * // Writes dist/crds.k8s.yaml and dist/flipop.k8s.yaml.
 * app.synth();
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

  constructor(scope: Construct, id: string, props: FlipopCrdsProps = {}) {
    super(scope, id);
    nameCluster(this, props?.cluster);
    this.floatingIpPool = this.define("FloatingIPPool");
    this.nodeDnsRecordSet = this.define("NodeDNSRecordSet");
    this.routedIp = this.define("RoutedIP");
    this.routedIpIssuer = this.define("RoutedIPIssuer");
    this.clusterRoutedIpClass = this.define("ClusterRoutedIPClass");
    this.node.addValidation({ validate: () => this.problems(props) });
  }

  private define(kind: KindName): ApiObject {
    const object = clusterObject(this, kind, { ...customResourceDefinition(KINDS[kind]) });
    registerObject(object);
    return object;
  }

  /** One collision is enough: other CustomResourceDefinitions of the same app collide too. */
  private problems(props: FlipopCrdsProps): string[] {
    const unusable = misfits(props, { cluster: { part: PART.text } });
    if (unusable.length > 0) return unusable.map(toLine);
    const draft = new Draft(this.floatingIpPool);
    checkCluster(this, props.cluster, draft);
    checkNames({ objects: [this.floatingIpPool], propOf: () => "", draft }, appIndex(this));
    return draft.refusals.map(toLine);
  }
}
