import { type App, Chart, Testing } from "cdk8s";
import type { IConstruct } from "constructs";
import type { ClusterRoutedIPClassSpec } from "../api/kinds/cluster-routed-ip-class";
import type { FloatingIPPoolSpec } from "../api/kinds/floating-ip-pool";
import type { NodeDNSRecordSetSpec } from "../api/kinds/node-dns-record-set";
import type { RoutedIPSpec } from "../api/kinds/routed-ip";
import type { RoutedIPIssuerSpec } from "../api/kinds/routed-ip-issuer";
import { isObject, type JsonObject } from "../api/schema/schema";
import { difference, type PartOf } from "./part-of";
import { checkRight, granting, type Place, type RbacObject, type Right, textOf, wildcards } from "./rights";

export type { PartOf } from "./part-of";

interface Synthesised extends RbacObject {
  readonly apiVersion: string;
}

/**
 * Assertions about the manifests of an app, for its tests. Each method throws an AssertionError that shows what the app
 * has instead, and returns the object, so that calls can be chained.
 *
 * @example
 * const app = new App();
 * new MyChart(app, "web");
 * FlipopAssertions.of(app).hasPool("web/ingress", { desiredIPs: 3 }).hasNoWildcardRight();
 */
export class FlipopAssertions {
  /** The manifests of an app, or of one of its charts. Throws the error of the synthesis if the app has mistakes. */
  public static of(scope: App | Chart): FlipopAssertions {
    const charts = (scope.node.findAll() as readonly IConstruct[]).filter((construct) => Chart.isChart(construct));
    return new FlipopAssertions(charts.flatMap((chart) => Testing.synth(chart as Chart) as Synthesised[]));
  }

  /** Plain objects, such as those that Helm rendered. */
  public static fromObjects(objects: readonly object[]): FlipopAssertions {
    return new FlipopAssertions(objects as readonly Synthesised[]);
  }

  private constructor(private readonly objects: readonly Synthesised[]) {}

  /**
   * The app has a pool.
   *
   * @param name `NAME`, or `NAMESPACE/NAME`
   * @param spec fields that the pool has, beside others
   */
  public hasPool(name: string, spec: PartOf<FloatingIPPoolSpec> = {}): this {
    return this.hasObject("FloatingIPPool", name, { spec });
  }

  /** The app has a NodeDNSRecordSet; the parameters are those of `hasPool`. */
  public hasNodeDnsRecordSet(name: string, spec: PartOf<NodeDNSRecordSetSpec> = {}): this {
    return this.hasObject("NodeDNSRecordSet", name, { spec });
  }

  /** The app has a RoutedIP; the parameters are those of `hasPool`. */
  public hasRoutedIp(name: string, spec: PartOf<RoutedIPSpec> = {}): this {
    return this.hasObject("RoutedIP", name, { spec });
  }

  /** The app has a RoutedIPIssuer; the parameters are those of `hasPool`. */
  public hasRoutedIpIssuer(name: string, spec: PartOf<RoutedIPIssuerSpec> = {}): this {
    return this.hasObject("RoutedIPIssuer", name, { spec });
  }

  /** The app has a ClusterRoutedIPClass; the parameters are those of `hasPool`. */
  public hasClusterRoutedIpClass(name: string, spec: PartOf<ClusterRoutedIPClassSpec> = {}): this {
    return this.hasObject("ClusterRoutedIPClass", name, { spec });
  }

  /**
   * The app has an object of any kind.
   *
   * @param kind such as `Deployment`
   * @param name `NAME`, or `NAMESPACE/NAME`
   * @param fields fields that the object has, beside others
   */
  public hasObject(kind: string, name: string, fields: JsonObject = {}): this {
    const ofKind = this.objects.filter((object) => object.kind === kind);
    const named = ofKind.filter((object) => isNamed(object, name));
    const problems = named.map((object) => difference(fields, object));
    if (problems.includes(undefined)) return this;
    if (named.length > 0) fail(`${kind} ${name}: ${problems[0]}`);
    return fail(`there is no ${kind} ${name}: ${listed(ofKind, kind)}`);
  }

  /** The app has so many objects of a kind. */
  public hasCount(kind: string, count: number): this {
    const ofKind = this.objects.filter((object) => object.kind === kind);
    return ofKind.length === count ? this : fail(`not ${count} but ${ofKind.length}: ${listed(ofKind, kind)}`);
  }

  /** No Role and no ClusterRole has a `*`. */
  public hasNoWildcardRight(): this {
    const found = wildcards(this.objects);
    return found.length === 0 ? this : fail(`a right has a wildcard: ${found.join("; ")}`);
  }

  /** A binding of the app grants a right; without a namespace, one grants it in the whole cluster. */
  public hasRight(right: Right): this {
    const { namespace } = right;
    const found = this.granting(right, (bound) => namespace !== undefined && bound === namespace);
    const place = namespace === undefined ? "the whole cluster" : `namespace ${namespace}`;
    return found.length > 0 ? this : fail(`no bound role may ${textOf(right)} in ${place}`);
  }

  /** No binding of the app grants a right; without a namespace, none grants it in any namespace. */
  public hasNoRight(right: Right): this {
    const { namespace } = right;
    // A binding without a namespace may be applied into any.
    const found = this.granting(right, (bound) => [namespace, bound].includes(undefined) || bound === namespace);
    return found.length === 0 ? this : fail(found.join("; "));
  }

  private granting(right: Right, isMeant: Place): readonly string[] {
    checkRight(right);
    return granting(this.objects, right, isMeant);
  }
}

function isNamed({ metadata }: Synthesised, wanted: string): boolean {
  const { name, namespace } = isObject(metadata) ? (metadata as Synthesised["metadata"]) : { name: "" };
  return wanted === name || (namespace !== undefined && wanted === `${namespace}/${name}`);
}

function listed(objects: readonly Synthesised[], kind: string): string {
  const names = objects.map(({ metadata: { name, namespace } }) =>
    namespace === undefined ? name : `${namespace}/${name}`,
  );
  return names.length === 0 ? `the app has no ${kind}` : `the app has ${names.join(", ")}`;
}

/** An error of its own name, which test runners show as a failed assertion. */
function fail(message: string): never {
  const error = new Error(message);
  error.name = "AssertionError";
  throw error;
}
