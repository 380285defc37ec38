import type { Duration } from "cdk8s";

/** Options of the container of a RoutedIPJob. */
export interface RoutedIPJobContainer {
  /** Image to run, such as `registry.example/update-ip:1.4`. */
  readonly image: string;

  /**
   * Command to run, one word per item, without a shell.
   *
   * @default - the entry point of the image
   */
  readonly command?: string[];

  /**
   * Arguments of the command.
   *
   * @default - the arguments of the image
   */
  readonly args?: string[];

  /**
   * Additional environment variables. The names of variables that the operator sets are refused. Do not put tokens into
   * a manifest: use `secrets` of the class.
   *
   * @default - none
   */
  readonly env?: { readonly [name: string]: string };

  /**
   * Name of the Job's ServiceAccount. The ServiceAccount must have label `flipop.digitalocean.com/job`; otherwise the
   * operator does not start the Job.
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
   * Numeric id of the container's user, 1 to 2147483647; root (0) is refused. It replaces the user of the image.
   *
   * @default 65532
   */
  readonly userId?: number;

  /**
   * Maximum duration of the Job: whole seconds, 1 second to 10 minutes. After that time Kubernetes stops the Job, which
   * counts as failed.
   *
   * @default Duration.minutes(10)
   */
  readonly timeout?: Duration;
}
