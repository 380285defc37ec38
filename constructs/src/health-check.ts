import type { Duration } from "cdk8s";
import type { HealthCheck as HealthCheckSpec, HealthCheckType } from "./api/kinds/health-check";
import { checkArguments } from "./private/arguments";
import { textOf, wholeSeconds, written } from "./private/field-values";
import type { Shapes } from "./private/prop-shapes";
import { PART } from "./private/prop-types";
import type { Site } from "./private/refusal-collector";

/** Which address the operator probes: one of the node, or that of the pod that serves on it. */
export enum ProbedAddress {
  /** The address of type InternalIP in the node's status. */
  INTERNAL_IP = "InternalIP",
  /** The address of type ExternalIP in the node's status. */
  EXTERNAL_IP = "ExternalIP",
  /**
   * The address of the pod that serves on the node, which needs no open port on the node. A pool or a record set needs
   * `pods` for it; a RoutedIP uses the pods of its Service.
   */
  POD_IP = "PodIP",
}

/** Options of every health check. */
export interface HealthCheckOptions {
  /**
   * Which address the operator probes. It does not probe a node without such an address.
   *
   * @default ProbedAddress.INTERNAL_IP
   */
  readonly address?: ProbedAddress;

  /**
   * Time from one probe of a holder to the next. The operator probes the next candidates at every fifth interval. Whole
   * seconds, 1 to 300.
   *
   * @default Duration.seconds(1)
   */
  readonly interval?: Duration;

  /**
   * Time until a probe without an answer counts as failed. Whole seconds, 1 to 300, and at most `interval`.
   *
   * @default Duration.seconds(1)
   */
  readonly timeout?: Duration;

  /**
   * Failed probes in a row after which the node counts as failed, 1 to 100.
   *
   * @default 2
   */
  readonly failureThreshold?: number;

  /**
   * Successful probes in a row after which a failed node counts as healthy again, 1 to 100.
   *
   * @default 2
   */
  readonly successThreshold?: number;
}

/** Options of a health check by HTTP. */
export interface HttpHealthCheckOptions extends HealthCheckOptions {
  /**
   * Path of the request. It starts with `/`, and has printable ASCII characters without spaces, 1024 at most.
   *
   * @default "/"
   */
  readonly path?: string;

  /**
   * Statuses of a response that make a probe succeed, each from 100 to 599, 32 at most.
   *
   * @default - 200 to 399
   */
  readonly expectedStatuses?: number[];
}

/** Options of a health check by HTTPS. */
export interface HttpsHealthCheckOptions extends HttpHealthCheckOptions {
  /**
   * Whether the operator accepts any certificate. Otherwise the certificate must be valid for the node's address.
   *
   * @default false
   */
  readonly insecureSkipVerify?: boolean;
}

/**
 * How the operator probes nodes. A probe that fails never moves an address alone: the kubelet must also have stopped
 * renewing its Lease.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FloatingIPPool, HealthCheck } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "ingress", { namespace: "ingress" });
 * new FloatingIPPool(chart, "pool", {
 *   ips: ["192.0.2.10"],
 *   healthCheck: HealthCheck.http(80, { path: "/healthz" }),
 * });
 */
export class HealthCheck {
  /**
   * A probe succeeds if the port accepts a connection.
   *
   * @param port TCP port on the node, such as a hostPort; for a UDP service, a TCP port that the same process opens there
   * @param options intervals, thresholds, and the node's address
   */
  public static tcp(port: number, options: HealthCheckOptions = {}): HealthCheck {
    return new HealthCheck("TCP", port, options);
  }

  /**
   * A probe sends a GET request and succeeds if the status is expected. The operator does not follow redirects.
   *
   * @param port TCP port on the node, such as a hostPort
   * @param options path, expected statuses, intervals, thresholds, and the node's address
   */
  public static http(port: number, options: HttpHealthCheckOptions = {}): HealthCheck {
    return new HealthCheck("HTTP", port, options);
  }

  /**
   * A probe sends a GET request by HTTPS and succeeds if the status is expected.
   *
   * @param port TCP port on the node, such as a hostPort
   * @param options certificate check, path, expected statuses, intervals, thresholds, and the node's address
   */
  public static https(port: number, options: HttpsHealthCheckOptions = {}): HealthCheck {
    return new HealthCheck("HTTPS", port, options);
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "HealthCheck";

  private constructor(
    private readonly type: HealthCheckType,
    private readonly port: number,
    private readonly options: HttpsHealthCheckOptions,
  ) {}

  /**
   * The health check for a spec.
   *
   * @internal
   */
  public _write(site: Site): HealthCheckSpec {
    const { port } = checkArguments(site, { port: this.port }, PORT_SHAPES);
    const options = checkArguments(site, this.options, OPTION_SHAPES[this.type]);
    return written({
      type: this.type,
      port,
      address: textOf(options.address),
      path: options.path,
      expectedStatuses: options.expectedStatuses,
      insecureSkipVerify: options.insecureSkipVerify,
      intervalSeconds: wholeSeconds(options.interval, site.below(".interval")),
      timeoutSeconds: wholeSeconds(options.timeout, site.below(".timeout")),
      failureThreshold: options.failureThreshold,
      successThreshold: options.successThreshold,
    });
  }
}

const PORT_SHAPES: Shapes = { port: { part: PART.number, required: true } };
const TCP_SHAPES: Shapes = {
  address: { part: PART.text },
  interval: { part: PART.duration },
  timeout: { part: PART.duration },
  failureThreshold: { part: PART.number },
  successThreshold: { part: PART.number },
};
const HTTP_SHAPES: Shapes = {
  ...TCP_SHAPES,
  path: { part: PART.text },
  expectedStatuses: { list: true, part: PART.number },
};
const OPTION_SHAPES: Readonly<Record<HealthCheckType, Shapes>> = {
  TCP: TCP_SHAPES,
  HTTP: HTTP_SHAPES,
  HTTPS: { ...HTTP_SHAPES, insecureSkipVerify: { part: PART.boolean } },
};
