import type { JsonObject } from "./api/schema";
import { checkArguments } from "./private/arguments";
import type { Site } from "./private/draft";
import { checkJobSpec } from "./private/job/check-job-spec";
import { checkContainer, containerJobSpec } from "./private/job/container-job";
import { PART } from "./private/part";
import type { ShapeOf } from "./private/props";
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
 * PREVIOUS_NODE_NAME, PREVIOUS_NODE_PROVIDER_ID, REGION; the firewall Job also gets FIREWALL_RULES (JSON: the full set
 * of the class). To report a created address, the Job writes `{"routedIP": "192.0.2.20"}` to `/dev/termination-log`.
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
      checkArguments(site, container, CONTAINER_SHAPES);
      checkContainer(container, site);
      return containerJobSpec(container, site);
    });
  }

  /**
   * A Job from its complete spec, as in YAML. The operator sets `parallelism` and `completions` to 1, `backoffLimit` to
   * 0, `ttlSecondsAfterFinished` to 3600, `restartPolicy` to Never and `activeDeadlineSeconds` to 600 at most.
   *
   * @param jobSpec the `spec` of a Job
   */
  public static spec(jobSpec: { [key: string]: unknown }): RoutedIPJob {
    return new RoutedIPJob((site) => {
      checkArguments(site, { jobSpec }, { jobSpec: { part: PART.map, required: true } });
      checkJobSpec(jobSpec, site);
      return jobSpec;
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
