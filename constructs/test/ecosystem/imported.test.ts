import { expect } from "chai";
import { Construct } from "constructs";
import { describe, it } from "mocha";
import {
  ClusterRoutedIPClass,
  FloatingIPPool,
  type IFlipopResource,
  NodeDNSRecordSet,
  RoutedIP,
  RoutedIPIssuer,
} from "../../src";
import { newChart, synth } from "../support/charts";

type FromName = (scope: Construct, id: string, name: string, namespace?: string) => IFlipopResource;

/** Each kind: how to refer to an object outside of the app, its member, and its name in the API. */
const KINDS: readonly (readonly [from: FromName, member: string, resourceType: string])[] = [
  [FloatingIPPool.fromFloatingIPPoolName, "floatingIpPoolName", "floatingippools"],
  [NodeDNSRecordSet.fromNodeDNSRecordSetName, "nodeDnsRecordSetName", "nodednsrecordsets"],
  [RoutedIP.fromRoutedIPName, "routedIpName", "routedips"],
  [RoutedIPIssuer.fromRoutedIPIssuerName, "routedIpIssuerName", "routedipissuers"],
  [ClusterRoutedIPClass.fromClusterRoutedIPClassName, "clusterRoutedIpClassName", "clusterroutedipclasses"],
];

describe("a reference to a resource outside of the app", () => {
  for (const [from, member, resourceType] of KINDS) {
    it(`has the facts of the resource, and no object: ${resourceType}`, () => {
      const chart = newChart();
      const reference = from(chart, "reference", "edge", "web");
      expect(Construct.isConstruct(reference)).to.equal(true);
      expect(Reflect.get(reference, member)).to.equal("edge");
      const { name, namespace, apiGroup, resourceName } = reference;
      expect({ name, apiGroup, resourceName }).to.deep.equal({
        name: "edge",
        apiGroup: "flipop.digitalocean.com",
        resourceName: "edge",
      });
      expect(namespace).to.equal(resourceType === "clusterroutedipclasses" ? undefined : "web");
      expect(reference.resourceType).to.equal(resourceType);
      expect(synth(chart)).to.deep.equal([]);
    });
  }
});
