import type { Chart } from "cdk8s";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  FlipopOperator,
  FloatingIPPool,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  ServiceRef,
} from "../../../src";
import { untyped } from "../../support/untyped";

/** Adds construct `bad` to chart `test`. */
export type Make = (chart: Chart) => unknown;

/** A mistake, and the lines of the error of construct `test/bad`. */
export type Mistake = readonly [title: string, make: Make, ...says: string[]];

export const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });
export const NO_PROP = "is given, but there is no such prop:";
/** The path of the Job in `job` and `clusterClass`. */
export const UPDATE = "implementation.updateRoutedIP";

export function pool(props: object): Make {
  return (chart) => new FloatingIPPool(chart, "bad", untyped({ ips: ["192.0.2.1"], ...props }));
}

export function operator(props: object): Make {
  return (chart) => new FlipopOperator(chart, "bad", untyped(props));
}

export function issuer(props: object): Make {
  return (chart) => new RoutedIPIssuer(chart, "bad", untyped(props));
}

export function clusterClass(props: object): Make {
  const implementation = ClassImplementation.jobs(JOB, JOB);
  return (chart) => new ClusterRoutedIPClass(chart, "bad", untyped({ implementation, ...props }));
}

export function job(make: () => RoutedIPJob): Make {
  return (chart) => clusterClass({ implementation: ClassImplementation.jobs(make(), JOB) })(chart);
}

export function routedIp(props: (chart: Chart) => object): Make {
  return (chart) => {
    const implementation = RoutedIPImplementation.issuer(RoutedIPIssuer.fromRoutedIPIssuerName(chart, "do", "do"));
    new RoutedIP(
      chart,
      "bad",
      untyped({ implementation, service: ServiceRef.fromServiceName("web"), ...props(chart) }),
    );
  };
}
