import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { parseTenantLimits, type TenantLimits } from "../../api/access/tenant-limits";
import { DEFAULT_SECRET, FEATURES, type FeatureName, FLAGS } from "../../api/config";
import { allProviders } from "../../api/providers";
import type { JsonObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";
import { tenantGaps } from "./beyond-tenant-limits";
import { objectsOf } from "./claims";
import type { NeedyResource } from "./needs";
import type { OperatorConstruct, OperatorReach, TenantGap } from "./operator-construct";

const IMAGE = /(^|\/)flipop([:@]|$)/;

/** An operator of which only the Deployment is known. */
export class ManifestOperator extends Construct implements OperatorConstruct {
  public readonly _claims: readonly string[] = [];
  public readonly _isManifest = true;

  constructor(
    deployment: ApiObject,
    public readonly _reach: OperatorReach,
  ) {
    super(deployment, "operator");
  }

  public _tenantGaps(resource: NeedyResource): readonly TenantGap[] {
    return tenantGaps(resource, this);
  }
}

/** What the operator of a Deployment serves; undefined if it is not an operator, or does not say where it runs. */
export function reachOfDeployment(object: JsonObject): OperatorReach | undefined {
  if (object.kind !== "Deployment" || !String(object.apiVersion).startsWith("apps/")) return undefined;
  const containers = objectsOf(objectAt(object, "spec", "template", "spec").containers);
  const container = containers.find(({ image, args }) => IMAGE.test(String(image)) && runs(textsOf(args)));
  if (!container) return undefined;
  const settings = new Settings(container);
  const namespace = settings.text("namespace") ?? objectAt(object, "metadata").namespace;
  if (typeof namespace !== "string" || namespace === "") return undefined;
  const features = settings.list("features").filter((name): name is FeatureName => Object.hasOwn(FEATURES, name));
  const issuers = settings.list("issuer-namespaces");
  return {
    namespace,
    features,
    watchNamespaces: settings.list("watch-namespaces"),
    podNamespaces: settings.list("pod-namespaces"),
    issuerNamespaces: features.includes("routedip") ? (issuers.length > 0 ? issuers : [namespace]) : [],
    jobNamespaces: features.includes("jobs") ? settings.list("job-namespaces") : [],
    tenantLimits: settings.tenantLimits(),
    tokenVariables: settings.tokenVariables(),
  };
}

/** Without a command, the operator runs. */
function runs([command = "run"]: readonly string[]): boolean {
  return command === "run" || command.startsWith("-");
}

/** The flags of a container, which it may also have as variables. */
class Settings {
  private readonly args: readonly string[];
  private readonly variables: ReadonlyMap<string, JsonObject>;

  constructor({ args, env }: JsonObject) {
    this.args = textsOf(args);
    this.variables = new Map(objectsOf(env).map((variable) => [String(variable.name), variable]));
  }

  /** The value of a flag; undefined if it is not known before the pod runs. */
  text(name: string): string | undefined {
    const flag = FLAGS.find((one) => one.name === name);
    const variable = this.variables.get(flag?.env ?? "");
    const value = typeof variable?.value === "string" ? variable.value : undefined;
    return this.argument(name) ?? (variable ? value : flag?.default || undefined);
  }

  list(name: string): readonly string[] {
    const items = (this.text(name) ?? "").split(",").map((item) => item.trim());
    return items.filter((item) => item !== "");
  }

  /** None if they are not known, or not valid. */
  tenantLimits(): TenantLimits {
    return parseTenantLimits(this.text("tenant-limits") ?? "").limits ?? {};
  }

  /** The tokens that come from elsewhere than their usual entries of the usual Secret. */
  tokenVariables(): readonly string[] {
    const names = allProviders().map(({ tokenVariable }) => tokenVariable);
    return names.filter((name) => {
      if (this.variables.has(`${name}_FILE`)) return true;
      const variable = this.variables.get(name);
      const { name: secret, key } = objectAt(variable, "valueFrom", "secretKeyRef");
      return variable !== undefined && !(secret === DEFAULT_SECRET && key === name);
    });
  }

  private argument(name: string): string | undefined {
    const found = this.args.filter((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
    const arg = found.at(-1);
    if (arg === undefined) return undefined;
    return arg.includes("=") ? arg.slice(arg.indexOf("=") + 1) : this.args[this.args.lastIndexOf(arg) + 1];
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
