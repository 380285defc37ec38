import type { ApiObject, ApiObjectMetadata, ApiObjectMetadataDefinition } from "cdk8s";
import { Construct, type IConstruct } from "constructs";
import { grant, MANAGE, READ } from "./private/rights/grant";
import { isClusterScoped, resourceTypeOf } from "./private/rights/resource-type";

/** Common props of all resources. */
export interface FlipopResourceProps {
  /**
   * Name, namespace, labels and annotations of the object.
   *
   * @default - the chart's namespace and labels, and a name made from the construct path. Such a name changes with the
   * construct ids, and a new name replaces the object: set the names of resources that have addresses
   */
  readonly metadata?: ApiObjectMetadata;

  /**
   * Name of the chart's cluster, such as `prod`, for an app with charts for several clusters. In one cluster, synthesis
   * refuses two objects with the same kind, namespace and name, and an address or a record set in two resources. It is
   * enough to set this prop once in each chart.
   *
   * @default - all charts are for the same cluster
   */
  readonly cluster?: string;
}

/**
 * A resource of flipop, of this app or defined outside of it. In TypeScript, Python and Go it is also an `IApiResource`
 * and an `IApiEndpoint` of cdk8s-plus, for calls such as `role.allowRead(pool)`.
 */
export interface IFlipopResource extends IConstruct {
  /** The object's name. */
  readonly name: string;

  /**
   * The object's namespace, if known at synthesis.
   *
   * @default - not known, or a cluster-scoped object
   */
  readonly namespace?: string | undefined;

  /** The API group: `flipop.digitalocean.com`. */
  readonly apiGroup: string;

  /** The kind's name in the API, such as `floatingippools`. */
  readonly resourceType: string;

  /** The object's name, for a rule of a Role. */
  readonly resourceName: string;

  /** This resource, for a rule of a ClusterRole of cdk8s-plus. */
  asApiResource(): IFlipopResource | undefined;

  /** Undefined: this is not a URL. */
  asNonApiResource(): string | undefined;

  /**
   * Allows subjects to read this resource and its status, with a Role and a RoleBinding, which are children of this
   * construct.
   *
   * @param subjects ServiceAccounts, Users or Groups of any cdk8s-plus version, or the ApiObject of a ServiceAccount
   */
  grantRead(...subjects: IConstruct[]): void;

  /**
   * Allows subjects to read, change and delete this resource, with a Role and a RoleBinding, which are children of this
   * construct. RBAC cannot limit the permission to create to one name, so it is not included.
   *
   * @param subjects ServiceAccounts, Users or Groups of any cdk8s-plus version, or the ApiObject of a ServiceAccount
   */
  grantManage(...subjects: IConstruct[]): void;
}

/**
 * A resource of flipop. Its constructor does not throw: synthesis fails with one error that lists all mistakes in its
 * props.
 *
 * @example
 * import { App, Chart, JsonPatch } from "cdk8s";
 * import { FloatingIPPool } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "web", { namespace: "web" });
 * const pool = new FloatingIPPool(chart, "pool", { metadata: { name: "web" }, region: "nyc3", desiredIps: 2 });
 * pool.metadata.addLabel("example.com/team", "edge");
 * pool.apiObject.addJsonPatch(JsonPatch.add("/spec/paused", true));
 */
export abstract class FlipopResource extends Construct implements IFlipopResource {
  /** The synthesised object. Use its `addJsonPatch` for fields without a prop. */
  public abstract readonly apiObject: ApiObject;

  /** The object's name. */
  public get name(): string {
    return this.apiObject.name;
  }

  /** The object's metadata, to which labels and annotations can be added. */
  public get metadata(): ApiObjectMetadataDefinition {
    return this.apiObject.metadata;
  }

  /**
   * The object's namespace, if known at synthesis.
   *
   * @default - not known, or a cluster-scoped object
   */
  public get namespace(): string | undefined {
    // A chart sets its namespace on all its objects.
    return isClusterScoped(this.resourceType) ? undefined : this.metadata.namespace;
  }

  /** The API group: `flipop.digitalocean.com`. */
  public get apiGroup(): string {
    return this.apiObject.apiGroup;
  }

  /** The kind's name in the API, such as `floatingippools`. */
  public get resourceType(): string {
    return resourceTypeOf(this.apiObject.kind);
  }

  /** The object's name, for a rule of a Role. */
  public get resourceName(): string {
    return this.name;
  }

  /** This resource, for a rule of a ClusterRole of cdk8s-plus. */
  public asApiResource(): IFlipopResource | undefined {
    return this;
  }

  /** Undefined: this is not a URL. */
  public asNonApiResource(): string | undefined {
    return undefined;
  }

  /**
   * Allows subjects to read this resource and its status, with a Role and a RoleBinding, which are children of this
   * construct.
   *
   * @param subjects ServiceAccounts, Users or Groups of any cdk8s-plus version, or the ApiObject of a ServiceAccount
   */
  public grantRead(...subjects: IConstruct[]): void {
    grant(this, READ, subjects);
  }

  /**
   * Allows subjects to read, change and delete this resource, with a Role and a RoleBinding, which are children of this
   * construct. RBAC cannot limit the permission to create to one name, so it is not included.
   *
   * @param subjects ServiceAccounts, Users or Groups of any cdk8s-plus version, or the ApiObject of a ServiceAccount
   */
  public grantManage(...subjects: IConstruct[]): void {
    grant(this, MANAGE, subjects);
  }
}
