import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { admissionPolicy, admissionPolicyBinding } from "./operator/admission-policy";
import { OPERATOR_SHAPES } from "./operator/check-types";
import { cleanupPolicy, cleanupPolicyBinding } from "./operator/cleanup-policy";
import { deployment } from "./operator/deployment";
import { disruptionBudget } from "./operator/disruption-budget";
import { metricsService } from "./operator/metrics-service";
import { monitoring } from "./operator/monitoring";
import { jobNamespaces, operatorNamespace } from "./operator/namespaces";
import { networkPolicy } from "./operator/network-policy";
import { leaseClaim, type OperatorParts, operatorProblems } from "./operator/problems";
import { cleanupClusterRole, clusterRole, namespacedRoles } from "./operator/roles";
import { serviceAccount } from "./operator/service-account";
import { operatorSettings } from "./operator/settings";
import { editClusterRole, viewClusterRole } from "./operator/user-roles";
import type { FlipopOperatorProps } from "./operator-props";
import { appIndex } from "./private/app/app-index";
import { registerObject } from "./private/app/check-names";
import { nameCluster } from "./private/app/cluster-name";
import { toLine } from "./private/draft";
import { misfits, withoutMisfits } from "./private/props";

/**
 * The operator, ready for production: two unprivileged pods, only the permissions of the enabled features, and optional
 * monitoring objects. FlipopCrds creates the CustomResourceDefinitions.
 *
 * Every part is public, so that you can use `addJsonPatch` for fields without a prop.
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
  /** ClusterRole that allows users with the built-in role "view" to read the five kinds. */
  public readonly viewClusterRole: ApiObject;
  /** ClusterRole that allows users with the built-in role "edit" to write the five kinds. */
  public readonly editClusterRole: ApiObject;
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

  constructor(scope: Construct, id: string, props: FlipopOperatorProps = {}) {
    super(scope, id);
    const unusable = misfits(props, OPERATOR_SHAPES);
    const fit = withoutMisfits(props, unusable, OPERATOR_SHAPES);
    const settings = operatorSettings(this, fit);
    this._claims = [leaseClaim(settings)];
    this.name = settings.name;
    this.namespace = settings.namespace;
    this.serviceAccountName = settings.serviceAccountName;

    this.namespaceObject = made(settings.createNamespaces, () => operatorNamespace(this, settings));
    this.jobNamespaceObjects = made(settings.createNamespaces, () => jobNamespaces(this, settings)) ?? [];
    this.serviceAccount = made(fit.serviceAccountName === undefined, () => serviceAccount(this, settings));
    const everywhere = clusterRole(this, settings);
    this.clusterRole = everywhere.role;
    this.clusterRoleBinding = everywhere.binding;
    const namespaced = namespacedRoles(this, settings);
    [this.roles, this.roleBindings] = [namespaced.map(({ role }) => role), namespaced.map(({ binding }) => binding)];
    this.viewClusterRole = viewClusterRole(this, settings);
    this.editClusterRole = editClusterRole(this, settings);
    const admission = fit.admissionPolicy ?? true;
    this.admissionPolicy = made(admission, () => admissionPolicy(this, settings));
    this.admissionPolicyBinding = made(admission, () => admissionPolicyBinding(this, settings));
    const confined = admission && settings.watchNamespaces.length > 0;
    this.cleanupPolicy = made(confined, () => cleanupPolicy(this, settings));
    this.cleanupPolicyBinding = made(confined, () => cleanupPolicyBinding(this, settings));
    const cleanup = made(confined, () => cleanupClusterRole(this, settings));
    this.cleanupClusterRole = cleanup?.role;
    this.cleanupClusterRoleBinding = cleanup?.binding;
    this.networkPolicy = made(fit.networkPolicy ?? false, () => networkPolicy(this, settings));
    this.podDisruptionBudget = disruptionBudget(this, settings);
    this.metricsService = metricsService(this, settings);
    this.deployment = deployment(this, settings, fit);
    const monitored = monitoring(this, settings, fit);
    this.serviceMonitor = monitored.serviceMonitor;
    this.podMonitor = monitored.podMonitor;
    this.prometheusRule = monitored.prometheusRule;
    this.dashboard = monitored.dashboard;
    const parts = { operator: this, deployment: this.deployment, settings, props: fit, given: props, unusable };
    this.validateAtSynth(parts);
  }

  /** An error thrown in a constructor shows no construct path, and hides the later problems. */
  private validateAtSynth(parts: OperatorParts): void {
    nameCluster(this, parts.props.cluster);
    for (const object of this.node.findAll()) if (ApiObject.isApiObject(object)) registerObject(object);
    this.node.addValidation({ validate: () => operatorProblems(parts, appIndex(this)).map(toLine) });
  }
}

function made<T>(wanted: boolean, make: () => T | undefined): T | undefined {
  return wanted ? make() : undefined;
}
