import type { Duration } from "cdk8s";

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
