import { expect } from "chai";
import { describe, it } from "mocha";
import { ClusterRoutedIPClass, FloatingIPPool, NodeDNSRecordSet, RoutedIP, RoutedIPIssuer } from "../src";
import { ALL_KINDS, type AnySchema, KINDS, type KindName } from "../src/api";
import { type Facts, inProps, propOf } from "../src/private/prop-shapes";
import { fullResources } from "./support/full-resources";

/** Fields that no prop writes, with the reason. */
const WITHOUT_PROP: Readonly<Record<string, string>> = {
  "NodeDNSRecordSet spec.provider": "a DnsRecord always names its provider, so the fallback is never read",
};

const FACTS = {
  FloatingIPPool: FloatingIPPool._facts,
  NodeDNSRecordSet: NodeDNSRecordSet._facts,
  RoutedIP: RoutedIP._facts,
  RoutedIPIssuer: RoutedIPIssuer._facts,
  ClusterRoutedIPClass: ClusterRoutedIPClass._facts,
};

/** Paths of all fields with a value of their own. */
function leaves(schema: AnySchema, path = "spec"): readonly string[] {
  if (schema.type === "object") {
    return Object.entries(schema.properties).flatMap(([name, property]) => leaves(property, `${path}.${name}`));
  }
  return schema.type === "array" ? leaves(schema.items, path) : [path];
}

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => {
    const one = Array.isArray(at) ? at.find((item) => Object.hasOwn(Object(item), key)) : at;
    return Object(one)[key];
  }, value);
}

describe("props and fields", () => {
  const written = fullResources();

  for (const { kind, spec } of ALL_KINDS) {
    for (const field of leaves(spec)) {
      const reason = WITHOUT_PROP[`${kind} ${field}`];
      it(`${kind} ${field} ${reason ? `has no prop: ${reason}` : "is written by a prop"}`, () => {
        const objects = written.filter((object) => object.kind === kind);
        const values = objects.map((object) => valueAt(object, field)).filter((value) => value !== undefined);
        expect(values.length > 0).to.equal(reason === undefined);
      });
    }
  }

  it("every field of a prop's facts exists", () => {
    for (const [kind, props] of Object.entries(FACTS)) {
      const known = leaves(KINDS[kind as KindName].spec);
      for (const field of Object.values<Facts>(props).flatMap(({ fields }) => fields)) {
        expect(
          known.some((leaf) => `${leaf}.`.startsWith(`spec.${field}.`)),
          `${kind} ${field}`,
        ).to.equal(true);
      }
    }
  });

  it("a problem of a field is reported as one of its prop", () => {
    expect(propOf(FACTS.FloatingIPPool, "spec.desiredIPs")).to.equal("desiredIps");
    expect(propOf(FACTS.FloatingIPPool, "spec.match.tolerations[1].value")).to.equal("tolerations[1].value");
    expect(propOf(FACTS.FloatingIPPool, "spec.match.podNamespace")).to.equal("pods.namespace");
    expect(propOf(FACTS.RoutedIP, "spec.issuerRef.name")).to.equal("implementation.name");
    expect(propOf(FACTS.RoutedIP, "spec")).to.equal("");
  });

  it("a rule about fields is reported as one about props, and values stay unchanged", () => {
    expect(inProps(FACTS.FloatingIPPool, 'set desiredIPs, not "desiredIPs"')).to.equal(
      'set desiredIps, not "desiredIPs"',
    );
    expect(inProps(FACTS.RoutedIP, "routedIP and className")).to.equal("address and className");
  });
});
