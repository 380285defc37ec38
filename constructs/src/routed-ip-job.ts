import type { Duration } from "cdk8s";
import { checkJobSpec } from "./private/check-job-spec";
import { checkContainer, containerJobSpec } from "./private/container-job";
import type { Site } from "./private/draft";
import type { Json } from "./private/manifest";

/** Options of the one container of a RoutedIPJob. */
export interface RoutedIPJobContainer {
  /** Image to run, such as `registry.example/update-ip:1.4`. */
  readonly image: string;

  /**
   * Command to run, one item a word: no shell splits it.
   *
   * @default - the image's entry point
   */
  readonly command?: string[];

  /**
   * Arguments of the command.
   *
   * @default - the image's
   */
  readonly args?: string[];

  /**
   * Environment variables beside those that the operator sets, whose names are refused here. Tokens do not belong in
   * a manifest: use `secrets` of the class.
   *
   * @default - none
   */
  readonly env?: { readonly [name: string]: string };

  /**
   * Name of the ServiceAccount that the Job runs as. One that is named must have label `flipop.digitalocean.com/job`;
   * the operator does not start the Job otherwise.
   *
   * @default - the namespace's default ServiceAccount
   */
  readonly serviceAccountName?: string;

  /**
   * Whether the container gets a token of its ServiceAccount for the Kubernetes API.
   *
   * @default false
   */
  readonly mountToken?: boolean;

  /**
   * Numeric id of the user to run as, 1 to 2147483647; root (0) is refused. It replaces the user of the image.
   *
   * @default 65532
   */
  readonly userId?: number;

  /**
   * How long the Job may take: whole seconds, 1 second to 10 minutes. It is stopped then, and counts as failed.
   *
   * @default Duration.minutes(10)
   */
  readonly timeout?: Duration;
}

/**
 * A Job of a ClusterRoutedIPClass: your own way to assign an address, or to change a firewall, on any platform.
 *
 * The operator starts it in the class's job namespace with these environment variables: ROUTED_IP (empty: create an
 * address and report it), ROUTED_IP_NAME, ROUTED_IP_NAMESPACE, NODE_NAME, NODE_PROVIDER_ID, PREVIOUS_NODE_NAME,
 * PREVIOUS_NODE_PROVIDER_ID, REGION; the firewall Job also gets FIREWALL_RULES (JSON: the full set of the class). A
 * created address is reported by writing `{"routedIP": "192.0.2.20"}` to `/dev/termination-log`.
 */
export class RoutedIPJob {
  /**
   * A Job with one container that passes Pod Security `restricted`: no root, no capabilities, a read-only root file
   * system (`/tmp` is writable), no Kubernetes token. After a failure the operator makes a new Job.
   *
   * @param container what to run
   */
  public static container(container: RoutedIPJobContainer): RoutedIPJob {
    return new RoutedIPJob((site) => {
      checkContainer(container, site);
      return containerJobSpec(container, site);
    });
  }

  /**
   * A Job by its whole spec, as in YAML. The operator sets `parallelism` and `completions` to 1, `backoffLimit` to 0,
   * `ttlSecondsAfterFinished` to 3600, `restartPolicy` to Never and `activeDeadlineSeconds` to 600 at most.
   *
   * @param jobSpec the `spec` of a Job
   */
  public static spec(jobSpec: { [key: string]: unknown }): RoutedIPJob {
    return new RoutedIPJob((site) => {
      checkJobSpec(jobSpec, site);
      return jobSpec;
    });
  }

  private constructor(private readonly render: (site: Site) => Json) {}

  /**
   * The Job's spec.
   *
   * @internal
   */
  public _write(site: Site): Json {
    return this.render(site);
  }
}
