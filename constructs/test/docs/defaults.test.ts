import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Chart } from "cdk8s";
import * as cdk8s from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import * as library from "../../src";
import { KINDS, type KindName } from "../../src/api";
import { isObject } from "../../src/api/schema/schema";
import { newChart, synth } from "../support/charts";

const {
  ClassImplementation,
  ClusterRoutedIPClass,
  DnsRecord,
  FlipopOperator,
  FloatingIPPool,
  HealthCheck,
  NodeDNSRecordSet,
  OperatorFeature,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  ServiceRef,
} = library;

interface Struct {
  readonly name: string;
  readonly properties?: readonly { readonly name: string; readonly docs: { readonly default?: string } }[];
}

const { types } = JSON.parse(readFileSync(resolve(__dirname, "../../.jsii"), "utf8")) as {
  readonly types: Readonly<Record<string, Struct>>;
};

type Make = (chart: Chart, props: object) => unknown;

const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });
const outside = (chart: Chart) => RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do", "flipop");
const builtIn: Make = (chart, props) =>
  new ClusterRoutedIPClass(chart, "it", { implementation: ClassImplementation.issuer(outside(chart)), ...props });

const probing: Make = (chart, props) =>
  new FloatingIPPool(chart, "it", { ips: ["45.55.96.1"], healthCheck: HealthCheck.https(443, props) });

/** Props that only exist together with others, which their makers add. */
const NEEDS_MORE: readonly string[] = ["jobNamespaces", "networkPolicyDnsPorts", "startDeadline"];

/** A construct with props of a struct. */
const MAKERS: Readonly<Record<string, Make>> = {
  ClusterRoutedIPClassProps: (chart, props) => {
    const jobs = "startDeadline" in props ? { implementation: ClassImplementation.jobs(JOB, JOB) } : {};
    builtIn(chart, { ...jobs, ...props });
  },
  RoutedIPLimits: builtIn,
  ElectedNodeTaint: (chart, props) => builtIn(chart, { electedNodeTaint: props }),
  DnsRecordOptions: (chart, props) =>
    new NodeDNSRecordSet(chart, "it", { dnsRecord: DnsRecord.digitalOcean("a", "example.com", props) }),
  HealthCheckOptions: probing,
  HttpHealthCheckOptions: probing,
  HttpsHealthCheckOptions: probing,
  FlipopOperatorProps: (chart, props) => {
    const features = "jobNamespaces" in props ? { features: Object.values(OperatorFeature) } : {};
    const policy = "networkPolicyDnsPorts" in props ? { networkPolicy: true } : {};
    new FlipopOperator(chart, "it", { ...features, ...policy, ...props });
  },
  FloatingIPPoolProps: (chart, props) => new FloatingIPPool(chart, "it", { ips: ["45.55.96.1"], ...props }),
  NodeDNSRecordSetProps: (chart, props) =>
    new NodeDNSRecordSet(chart, "it", { dnsRecord: DnsRecord.digitalOcean("a", "example.com"), ...props }),
  RoutedIPIssuerProps: (chart, props) => new RoutedIPIssuer(chart, "it", props),
  RoutedIPJobContainer: (chart, props) => {
    const job = RoutedIPJob.container({ image: "registry.example/update:1", ...props });
    new ClusterRoutedIPClass(chart, "it", { implementation: ClassImplementation.jobs(job, JOB) });
  },
  RoutedIPProps: (chart, props) =>
    new RoutedIP(chart, "it", {
      implementation: RoutedIPImplementation.issuer(outside(chart)),
      service: ServiceRef.fromServiceName("web"),
      ...props,
    }),
};

/** Every documented default that is a value, as [struct, prop, value]. */
const DEFAULTS = Object.values(types).flatMap(({ name, properties = [] }) =>
  properties.flatMap((property) => {
    const text = property.docs.default;
    return text === undefined || text.startsWith("-") ? [] : [[name, property.name, text] as const];
  }),
);

/** A documented value: JSON, a member of an enum, or a call of a static method. */
function documented(text: string): unknown {
  const [, of, member = "", args] = /^(\w+)\.(\w+)(?:\((.*)\))?$/.exec(text) ?? [];
  if (of === undefined) return JSON.parse(text);
  const owner: object = Reflect.get({ ...cdk8s, ...library }, of);
  const found: unknown = Reflect.get(owner, member);
  return args === undefined ? found : Reflect.apply(found as () => unknown, owner, JSON.parse(`[${args}]`));
}

/** The objects with their defaults: those of the schema, which the API server fills in. */
function objectsWith(make: Make, props: object): readonly unknown[] {
  const chart = newChart();
  make(chart, props);
  return synth(chart).map((object) => {
    const kind = Object.hasOwn(KINDS, object.kind) ? KINDS[object.kind as KindName] : undefined;
    return kind ? { ...object, spec: filled(object["spec"], kind.spec) } : object;
  });
}

/** Fields without a default in the schema, with what the operator assumes: a class with an issuer, or a TCP probe, may not have them. */
const UNWRITTEN: Readonly<Record<string, unknown>> = {
  ...{ adoptRecords: false, startDeadlineSeconds: 60, path: "/" },
  ...{ holderLabel: false, untilAssigned: false },
};

function filled(value: unknown, schema: unknown): unknown {
  if (!isObject(value) || !isObject(schema) || !isObject(schema["properties"])) return value;
  const entries = Object.entries(schema["properties"]).map(([name, field]) => {
    const given = value[name] ?? (isObject(field) ? field["default"] : undefined);
    return [name, given === UNWRITTEN[name] ? undefined : filled(given, field)] as const;
  });
  const others = Object.fromEntries(Object.entries(value).filter(([name, given]) => given !== UNWRITTEN[name]));
  return { ...others, ...Object.fromEntries(entries.filter(([, one]) => one !== undefined)) };
}

describe("the documented default of a prop", () => {
  it("is a value in many cases", () => expect(DEFAULTS).to.have.length.above(35));

  for (const [struct, prop, text] of DEFAULTS) {
    it(`is what synthesis does without it: ${struct}.${prop} = ${text}`, () => {
      const make = MAKERS[struct];
      if (!make) throw new Error(`no maker for ${struct}`);
      expect(objectsWith(make, { [prop]: documented(text) })).to.deep.equal(
        objectsWith(make, NEEDS_MORE.includes(prop) ? { [prop]: undefined } : {}),
      );
    });
  }
});
