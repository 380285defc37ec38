import { ApiObject, type Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  DnsRecord,
  FloatingIPPool,
  IpProvider,
  NodeDNSRecordSet,
  NodeMatch,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
} from "../src";
import { JOB, job, type Mistake } from "./data/mistakes/make";
import { NULLS } from "./data/mistakes/nulls";
import { OTHER_KINDS } from "./data/mistakes/other-kinds";
import { UNKNOWN_PROPS } from "./data/mistakes/unknown-props";
import { WRONG_TYPES } from "./data/mistakes/wrong-types";
import { newChart, refusals } from "./support/charts";

const CASES: readonly Mistake[] = [...NULLS, ...UNKNOWN_PROPS, ...WRONG_TYPES, ...OTHER_KINDS];

describe("a mistake without a type check", () => {
  it("has at least 40 cases", () => expect(CASES.length).to.be.above(40));

  for (const [title, make, ...says] of CASES) {
    it(`is refused with its path, the value and the fix: ${title}`, () => {
      const chart = newChart();
      make(chart);
      expect(refusals(chart)).to.deep.equal(says.map((line) => `[test/bad] ${line}`));
    });
  }

  it("is not found in a Job's spec with fields of a newer Kubernetes", () => {
    const chart = newChart();
    job(() =>
      RoutedIPJob.spec({
        newPolicy: {},
        template: { spec: { containers: [{ name: "a", image: "a", hibernate: 1 }] } },
      }),
    )(chart);
    expect(refusals(chart)).to.deep.equal([]);
  });
});

describe("references of the wrong kind", () => {
  /** Never called: the compiler checks it. An error that does not occur fails the type check. */
  function wrong(chart: Chart): void {
    const issuerOfApp = new RoutedIPIssuer(chart, "issuer");
    const classOfApp = ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "class", "class");
    const object = new ApiObject(chart, "o", { apiVersion: "v1", kind: "Secret" });
    // @ts-expect-error a class is not an issuer
    RoutedIPImplementation.issuer(classOfApp);
    // @ts-expect-error an issuer is not a class
    RoutedIPImplementation.clusterClass(issuerOfApp);
    // @ts-expect-error an ApiObject is not an issuer
    ClassImplementation.issuer(object);
    // @ts-expect-error an object with a name is not a provider
    new FloatingIPPool(chart, "a", { provider: { name: "digitalocean" } });
    // @ts-expect-error an issuer has a name, but is not a provider
    new FloatingIPPool(chart, "b", { provider: issuerOfApp });
    const implementation = ClassImplementation.jobs(JOB, JOB);
    // @ts-expect-error an object with a text is not a range
    new ClusterRoutedIPClass(chart, "c", { implementation, nodePorts: { text: "1-2" } });
    // @ts-expect-error a NodeMatch is not a PodMatch
    new NodeDNSRecordSet(chart, "d", { dnsRecord: DnsRecord.of("a", "b", "c"), pods: NodeMatch.labels({}) });
    // @ts-expect-error a SecretRef is not Credentials
    new RoutedIPIssuer(chart, "e", { credentials: SecretRef.fromSecretName("a"), provider: IpProvider.DIGITALOCEAN });
  }

  it("do not compile", () => expect(wrong).to.be.a("function"));
});
