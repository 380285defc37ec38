import * as kplus from "cdk8s-plus-28";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  FloatingIPPool,
  NodeMatch,
  PodMatch,
  RoutedIPImplementation,
  RoutedIPIssuer,
  SecretRef,
} from "../../../src";
import { untyped } from "../../support/untyped";
import { clusterClass, issuer, type Mistake, pool, routedIp } from "./make";

/** Parts and references of another kind. */
export const OTHER_KINDS: readonly Mistake[] = [
  [
    "a NodeMatch for pods",
    pool({ pods: NodeMatch.labels({ a: "b" }) }),
    "pods: an object is not a PodMatch: write PodMatch.of(...) or PodMatch.labels(...)",
  ],
  [
    "a PodMatch for nodes",
    pool({ nodes: PodMatch.labels({ a: "b" }) }),
    "nodes: an object is not a NodeMatch: write NodeMatch.labels(...) or NodeMatch.doksNodePool(...)",
  ],
  [
    "a SecretRef for credentials",
    issuer({ credentials: SecretRef.fromSecretName("do") }),
    "credentials: an object is not Credentials: write Credentials.fromSecretName(...)",
  ],
  [
    "an object with a name for a provider",
    pool({ provider: { name: "digitalocean" } }),
    "provider: an object is not an IpProvider: write IpProvider.DIGITALOCEAN or IpProvider.of(...)",
  ],
  [
    "an object with a text for ports",
    clusterClass({ nodePorts: { text: "1-2" } }),
    "nodePorts: an object is not a PortRange: write PortRange.of(30000, 32767)",
  ],
  [
    "a class for an issuer",
    routedIp((chart) => ({
      implementation: RoutedIPImplementation.issuer(
        untyped(ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "c", "c")),
      ),
    })),
    'implementation: construct "test/c" is not a RoutedIPIssuer: give a RoutedIPIssuer, or use RoutedIPIssuer.fromRoutedIPIssuerName',
  ],
  [
    "an issuer for a class",
    routedIp((chart) => ({
      implementation: RoutedIPImplementation.clusterClass(untyped(new RoutedIPIssuer(chart, "i"))),
    })),
    'implementation: construct "test/i" of kind RoutedIPIssuer is not a ClusterRoutedIPClass: give a ClusterRoutedIPClass, or use ClusterRoutedIPClass.fromClusterRoutedIPClassName',
  ],
  [
    "a pool for the issuer of a class",
    (chart) =>
      clusterClass({
        implementation: ClassImplementation.issuer(untyped(new FloatingIPPool(chart, "p", { ips: ["192.0.2.9"] }))),
      })(chart),
    'implementation: construct "test/p" of kind FloatingIPPool is not a RoutedIPIssuer: give a RoutedIPIssuer, or use RoutedIPIssuer.fromRoutedIPIssuerName',
  ],
  [
    "a Deployment for an issuer",
    routedIp((chart) => ({
      implementation: RoutedIPImplementation.issuer(
        untyped(new kplus.Deployment(chart, "d", { containers: [{ image: "a" }] })),
      ),
    })),
    'implementation: construct "test/d" of kind Deployment is not a RoutedIPIssuer: give a RoutedIPIssuer, or use RoutedIPIssuer.fromRoutedIPIssuerName',
  ],
];
