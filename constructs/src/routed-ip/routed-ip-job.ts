import { Construct, type IConstruct } from "constructs";
import type { JsonObject } from "../api/schema/schema";
import { checkArguments } from "../private/arguments";
import { checkJobSpec } from "../private/job/check-job-spec";
import { checkContainer, containerJobSpec } from "../private/job/container-job";
import { readJobSpec, removeFromApp } from "../private/job/job-construct";
import type { ShapeOf } from "../private/prop-shapes";
import { PART } from "../private/prop-types";
import type { Site } from "../private/refusal-collector";
import type { RoutedIPJobContainer } from "./routed-ip-job-container";

const CONTAINER_SHAPES: { readonly [K in keyof RoutedIPJobContainer]-?: ShapeOf<RoutedIPJobContainer[K]> } = {
  image: { part: PART.text, required: true },
  command: { list: true },
  args: { list: true },
  env: { map: true, part: PART.text },
  serviceAccountName: { part: PART.text },
  mountToken: { part: PART.boolean },
  userId: { part: PART.number },
  timeout: { part: PART.duration },
};

/**
 * A Job of a ClusterRoutedIPClass, with your own code to assign an address or to change a firewall on any platform.
 *
 * The operator starts the Job in the class's job namespace with these environment variables: ROUTED_IP (if empty, the
 * Job must create an address and report it), ROUTED_IP_NAME, ROUTED_IP_NAMESPACE, NODE_NAME, NODE_PROVIDER_ID,
 * PREVIOUS_NODE_NAME, PREVIOUS_NODE_PROVIDER_ID, REGION. The firewall Job gets only FIREWALL_RULES (JSON: the full set
 * of the class). To report a created address, the Job writes `{"routedIP": "192.0.2.20"}` to `/dev/termination-log`.
 *
 * @example
 * import { App, Chart, Duration } from "cdk8s";
 * import { ClassImplementation, ClusterRoutedIPClass, RoutedIPJob } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "classes");
 * new ClusterRoutedIPClass(chart, "custom", {
 *   metadata: { name: "custom" },
 *   implementation: ClassImplementation.jobs(
 *     RoutedIPJob.container({ image: "registry.example/update-ip:1.4", args: ["assign"], timeout: Duration.minutes(2) }),
 *     RoutedIPJob.container({ image: "registry.example/update-ip:1.4", args: ["firewall"] }),
 *   ),
 * });
 */
export class RoutedIPJob {
  /**
   * A Job with one container that passes Pod Security `restricted`: no root, no capabilities, a read-only root file
   * system (`/tmp` is writable), no Kubernetes token. After a failure, the operator creates a new Job.
   *
   * @param container image, command and options
   */
  public static container(container: RoutedIPJobContainer): RoutedIPJob {
    return new RoutedIPJob((site) => {
      const given = checkArguments(site, container, CONTAINER_SHAPES);
      checkContainer(given, site);
      return containerJobSpec(given, site);
    });
  }

  /**
   * A Job of any cdk8s-plus version, or a plain ApiObject, as a template. This call removes the construct from the app:
   * otherwise the Job would run once, when you apply the manifest. The operator sets the same fields as for `spec`.
   *
   * @param job the construct of the Job. You can use it twice, and still change it after this call
   *
   * @example
   * import { App, Chart } from "cdk8s";
   * import * as kplus from "cdk8s-plus-28";
   * import { ClassImplementation, ClusterRoutedIPClass, RoutedIPJob } from "cdk8s-flipop";
   *
   * const chart = new Chart(new App(), "classes", { namespace: "flipop-jobs" });
   * const update = new kplus.Job(chart, "update", { containers: [{ image: "registry.example/update-ip:1.4" }] });
   *
   * new ClusterRoutedIPClass(chart, "public", {
   *   metadata: { name: "public" },
   *   implementation: ClassImplementation.jobs(RoutedIPJob.of(update), RoutedIPJob.of(update)),
   * });
   */
  public static of(job: IConstruct): RoutedIPJob {
    if (Construct.isConstruct(job)) removeFromApp(job);
    return new RoutedIPJob((site) => readJobSpec(job, site));
  }

  /**
   * A Job from its complete spec, as in YAML. The operator sets `parallelism` and `completions` to 1, `backoffLimit` to
   * 0, `ttlSecondsAfterFinished` to 3600, `restartPolicy` to Never and `activeDeadlineSeconds` to 600 at most.
   *
   * @param jobSpec the `spec` of a Job
   */
  public static spec(jobSpec: { [key: string]: unknown }): RoutedIPJob {
    return new RoutedIPJob((site) => {
      const given = checkArguments(site, { jobSpec }, { jobSpec: { part: PART.map, required: true } });
      checkJobSpec(given.jobSpec, site);
      return given.jobSpec;
    });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "RoutedIPJob";

  private constructor(private readonly render: (site: Site) => JsonObject) {}

  /**
   * The Job's spec.
   *
   * @internal
   */
  public _write(site: Site): JsonObject {
    return this.render(site);
  }
}
