import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { isObject } from "./api/schema/schema";
import type { FlipopResource } from "./flipop-resource";
import type * as Parts from "./operator/parts";
import type { OperatorSettings } from "./operator/props-with-defaults";
import type { FlipopOperatorProps } from "./operator-props";
import { appIndex } from "./private/app/app-index";
import { nameCluster } from "./private/app/chart-cluster";
import { registerObject } from "./private/app/check-names";
import type { NeedyResource } from "./private/app/needs";
import { needsBeforeSynth } from "./private/app/needs-before-synth";
import type { OperatorReach, TenantGap } from "./private/app/operator-construct";
import { misfits, withoutMisfits } from "./private/prop-shapes";
import { type Refusal, toLine } from "./private/refusal-collector";

/** A quarter of the library's code is only for operators, so an app without one does not load it. */
function operatorParts(): typeof Parts {
  return require("./operator/parts") as typeof Parts;
}

/**
 * The operator, ready for production: two unprivileged pods, only the permissions of the enabled features, and optional
 * monitoring objects. FlipopCrds creates the CustomResourceDefinitions.
 *
 * Every part is public, so that you can use `addJsonPatch` for fields without a prop.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FlipopOperator, MetricsScrape, OperatorFeature } from "cdk8s-flipop";
 *
 * const operator = new FlipopOperator(new Chart(new App(), "flipop"), "operator", {
 *   features: [OperatorFeature.POOLS, OperatorFeature.DNS],
 *   // Rights in this namespace, instead of the whole cluster.
 *   watchNamespaces: ["web"],
 *   scrape: MetricsScrape.SERVICE_MONITOR,
 * });
 * operator.deployment.metadata.addAnnotation("example.com/owner", "platform-team");
 */
export class FlipopOperator extends Construct {
  /** Name of the operator's objects. */
  public readonly name: string;
  /** Namespace of the operator. */
  public readonly namespace: string;
  /** Name of the operator's ServiceAccount. */
  public readonly serviceAccountName: string;

  /** The operator's Namespace; undefined with `createNamespaces: false`. */
  public readonly namespaceObject: ApiObject | undefined;
  /** Namespaces of Jobs; empty without feature jobs or with `createNamespaces: false`. */
  public readonly jobNamespaceObjects: ApiObject[];
  /** The ServiceAccount; undefined if you use an existing one. */
  public readonly serviceAccount: ApiObject | undefined;
  /** ClusterRole with the operator's permissions in the whole cluster. */
  public readonly clusterRole: ApiObject;
  /** ClusterRoleBinding that binds `clusterRole` to the operator. */
  public readonly clusterRoleBinding: ApiObject;
  /** Roles with the operator's permissions in single namespaces. */
  public readonly roles: ApiObject[];
  /** RoleBindings that bind `roles` to the operator, in the same order. */
  public readonly roleBindings: ApiObject[];
  /** ClusterRole to read the five kinds; `aggregateUserRoles` decides which built-in roles include it. */
  public readonly viewClusterRole: ApiObject;
  /** ClusterRole to write the five kinds; `aggregateUserRoles` decides which built-in roles include it. */
  public readonly editClusterRole: ApiObject;
  /** Role in the operator's namespace to run `flipop stop` and `flipop resume`; bind it for on-call staff. */
  public readonly onCallRole: ApiObject;
  /** The Deployment of the operator's pods. */
  public readonly deployment: ApiObject;
  /** PodDisruptionBudget: a node drain evicts one pod of the operator at a time. */
  public readonly podDisruptionBudget: ApiObject;
  /** The Service of the metrics, port 8080. */
  public readonly metricsService: ApiObject;
  /** The ServiceMonitor; undefined unless `scrape` selects it. */
  public readonly serviceMonitor: ApiObject | undefined;
  /** The PodMonitor; undefined unless `scrape` selects it. */
  public readonly podMonitor: ApiObject | undefined;
  /** The PrometheusRule; undefined unless `alertRules` is set. */
  public readonly prometheusRule: ApiObject | undefined;
  /** The ConfigMap with the Grafana dashboard; undefined unless `dashboard` is set. */
  public readonly dashboard: ApiObject | undefined;
  /** The NetworkPolicy; undefined unless `networkPolicy` is set. */
  public readonly networkPolicy: ApiObject | undefined;
  /** The ValidatingAdmissionPolicy; undefined with `admissionPolicy: false`. */
  public readonly admissionPolicy: ApiObject | undefined;
  /** The ValidatingAdmissionPolicyBinding that enforces `admissionPolicy`; undefined with `admissionPolicy: false`. */
  public readonly admissionPolicyBinding: ApiObject | undefined;
  /**
   * The ValidatingAdmissionPolicy that limits what the operator writes to Services and Gateways with feature `publish`;
   * undefined with `admissionPolicy: false`.
   */
  public readonly publicationPolicy: ApiObject | undefined;
  /** The ValidatingAdmissionPolicyBinding that enforces `publicationPolicy`; undefined without that policy. */
  public readonly publicationPolicyBinding: ApiObject | undefined;
  /**
   * The ValidatingAdmissionPolicy that keeps users from removing the finalizer of a cleanup that has not ended; undefined
   * with `admissionPolicy: false`.
   */
  public readonly finalizerPolicy: ApiObject | undefined;
  /** The ValidatingAdmissionPolicyBinding that enforces `finalizerPolicy`; undefined without that policy. */
  public readonly finalizerPolicyBinding: ApiObject | undefined;
  /**
   * The ValidatingAdmissionPolicy that enforces `tenantLimits`; undefined if these limit no namespace, or with
   * `admissionPolicy: false`.
   */
  public readonly tenantPolicy: ApiObject | undefined;
  /** The ValidatingAdmissionPolicyBinding that enforces `tenantPolicy`; undefined without that policy. */
  public readonly tenantPolicyBinding: ApiObject | undefined;
  /**
   * The ValidatingAdmissionPolicy that limits the operator to `watchNamespaces`; undefined without these, or with
   * `admissionPolicy: false`. Do not remove it while `cleanupClusterRole` exists: without it, the operator could change
   * resources in every namespace.
   */
  public readonly cleanupPolicy: ApiObject | undefined;
  /** The ValidatingAdmissionPolicyBinding that enforces `cleanupPolicy`; undefined without that policy. */
  public readonly cleanupPolicyBinding: ApiObject | undefined;
  /**
   * ClusterRole that allows the operator to clean up in a watched namespace whose deletion has removed its Role;
   * undefined without `cleanupPolicy`.
   */
  public readonly cleanupClusterRole: ApiObject | undefined;
  /** ClusterRoleBinding that binds `cleanupClusterRole` to the operator; undefined without that role. */
  public readonly cleanupClusterRoleBinding: ApiObject | undefined;

  /**
   * What only one operator of a cluster may have.
   *
   * @internal
   */
  public readonly _claims: readonly string[];

  private readonly settings: OperatorSettings;
  private readonly given: FlipopOperatorProps;
  private readonly unusable: Refusal[];

  constructor(scope: Construct, id: string, props: FlipopOperatorProps = {}) {
    super(scope, id);
    const parts = operatorParts();
    const early = parts.earlyProps(props);
    this.unusable = [...misfits(early, parts.OPERATOR_SHAPES)];
    const fit = withoutMisfits(early, this.unusable, parts.OPERATOR_SHAPES);
    const settings = parts.operatorSettings(this, fit);
    const late = isObject(props) ? props : {};
    [this.settings, this.given] = [settings, fit];
    this._claims = [parts.leaseClaim(settings)];
    this.name = settings.name;
    this.namespace = settings.namespace;
    this.serviceAccountName = settings.serviceAccountName;

    this.namespaceObject = made(settings.createNamespaces, () => parts.operatorNamespace(this, settings));
    this.jobNamespaceObjects = made(settings.createNamespaces, () => parts.jobNamespaces(this, settings)) ?? [];
    this.serviceAccount = made(fit.serviceAccountName === undefined, () => parts.serviceAccount(this, settings));
    ({ role: this.clusterRole, binding: this.clusterRoleBinding } = parts.clusterRole(this, settings));
    const namespaced = parts.namespacedRoles(this, settings);
    [this.roles, this.roleBindings] = [namespaced.map(({ role }) => role), namespaced.map(({ binding }) => binding)];
    const users = parts.userRoles(this, settings);
    [this.viewClusterRole, this.editClusterRole, this.onCallRole] = [users.view, users.edit, users.onCall];
    const limits = parts.admission(this, settings, fit.admissionPolicy);
    ({ admissionPolicy: this.admissionPolicy, admissionPolicyBinding: this.admissionPolicyBinding } = limits);
    ({ publicationPolicy: this.publicationPolicy, publicationPolicyBinding: this.publicationPolicyBinding } = limits);
    ({ finalizerPolicy: this.finalizerPolicy, finalizerPolicyBinding: this.finalizerPolicyBinding } = limits);
    ({ tenantPolicy: this.tenantPolicy, tenantPolicyBinding: this.tenantPolicyBinding } = limits);
    ({ cleanupPolicy: this.cleanupPolicy, cleanupPolicyBinding: this.cleanupPolicyBinding } = limits);
    this.cleanupClusterRole = limits.cleanupClusterRole;
    this.cleanupClusterRoleBinding = limits.cleanupClusterRoleBinding;
    this.networkPolicy = made(fit.networkPolicy ?? false, () => parts.networkPolicy(this, settings, late));
    this.podDisruptionBudget = parts.disruptionBudget(this, settings);
    this.metricsService = parts.metricsService(this, settings);
    this.deployment = parts.deployment(this, settings, late);
    const monitored = parts.monitoring(this, settings, fit);
    this.serviceMonitor = monitored.serviceMonitor;
    this.podMonitor = monitored.podMonitor;
    this.prometheusRule = monitored.prometheusRule;
    this.dashboard = monitored.dashboard;
    this.validateAtSynth(props);
  }

  /**
   * Adds to this operator what it needs to serve these resources: features, watched namespaces, and permissions in the
   * namespaces of pods, issuers and Jobs. Limits that the props do not set stay unset. Synthesis checks the resources
   * of the app also without this call, and refuses those that no operator serves.
   *
   * @param resources constructs of this library, such as a FloatingIPPool. What they refer to is served too.
   */
  public serve(...resources: FlipopResource[]): void {
    const { settings } = this;
    const { addNeed, jobNamespaces, namespacedRoles, servedProblems } = operatorParts();
    this.unusable.push(...resources.flatMap(servedProblems));
    for (const need of resources.flatMap(needsBeforeSynth)) addNeed(settings, need, this.given);
    const added = namespacedRoles(this, settings);
    this.roles.push(...added.map(({ role }) => role));
    this.roleBindings.push(...added.map(({ binding }) => binding));
    if (settings.createNamespaces) this.jobNamespaceObjects.push(...jobNamespaces(this, settings));
    this.registerObjects();
  }

  /**
   * What this operator serves, for checks of the app.
   *
   * @internal
   */
  public get _reach(): OperatorReach {
    const { reachOf, tokenVariables } = operatorParts();
    return reachOf(this.settings, tokenVariables(this.given));
  }

  /**
   * What `tenantLimits` do not allow a resource, for checks of the app.
   *
   * @internal
   */
  public _tenantGaps(resource: NeedyResource): readonly TenantGap[] {
    return operatorParts().tenantGaps(resource, this);
  }

  /** An error thrown in a constructor shows no construct path, and hides the later problems. */
  private validateAtSynth(given: FlipopOperatorProps): void {
    nameCluster(this, this.given.cluster);
    this.registerObjects();
    const { deployment, settings, unusable } = this;
    const parts = { operator: this, deployment, settings, given, unusable };
    this.node.addValidation({
      validate: () => operatorParts().operatorProblems(parts, appIndex(this)).map(toLine),
    });
  }

  private registerObjects(): void {
    for (const object of this.node.findAll()) if (ApiObject.isApiObject(object)) registerObject(object);
  }
}

function made<T>(wanted: boolean, make: () => T | undefined): T | undefined {
  return wanted ? make() : undefined;
}
