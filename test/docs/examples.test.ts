import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RELEASE, VERSIONS } from "../../projenrc/versions.js";
import { exampleNames, type ManifestObject, objectsOf, synthExample } from "../support/examples.js";

const EXAMPLES = resolve(import.meta.dirname, "../../examples");

/** The required objects of each example, as `Kind name`, and parts of the spec of one of them. */
const EXPECTED: Readonly<Record<string, { readonly objects: readonly string[]; readonly spec: SpecPart }>> = {
  "ingress-reserved-ips": {
    objects: ["Namespace ingress", "DaemonSet proxy", "FloatingIPPool ingress"],
    spec: { of: "FloatingIPPool ingress", field: "dnsRecordSet.provider", value: "digitalocean" },
  },
  "node-records-cloudflare": {
    objects: ["NodeDNSRecordSet nodes-public", "NodeDNSRecordSet nodes-workers"],
    spec: { of: "NodeDNSRecordSet nodes-public", field: "dnsRecordSet.provider", value: "cloudflare" },
  },
  "udp-game-servers": {
    objects: ["Namespace game", "DaemonSet servers", "FloatingIPPool game"],
    spec: { of: "FloatingIPPool game", field: "gracePeriodSeconds", value: 180 },
  },
  "routed-ip-firewall": {
    objects: [
      "Namespace voice",
      "Deployment gateway",
      "Service gateway",
      "RoutedIPIssuer digitalocean",
      "RoutedIP gateway",
    ],
    spec: { of: "RoutedIPIssuer digitalocean", field: "routedIPFirewallName", value: "voice-gateway" },
  },
  "routed-ip-custom-jobs": {
    objects: ["Namespace flipop-jobs", "ClusterRoutedIPClass rack", "Deployment relay", "RoutedIP relay"],
    spec: { of: "ClusterRoutedIPClass rack", field: "updateRoutedIP.activeDeadlineSeconds", value: 120 },
  },
  "terraform-addresses": {
    objects: ["Namespace ingress", "FloatingIPPool ingress"],
    spec: { of: "FloatingIPPool ingress", field: "ips.1", value: "192.0.2.11" },
  },
  "platform-and-team": {
    objects: ["Deployment flipop", "FloatingIPPool web", "NodeDNSRecordSet nodes", "RoutedIP game", "Namespace mail"],
    spec: { of: "ClusterRoutedIPClass shared", field: "allowedNamespaces.1", value: "web" },
  },
  "everything-monitored": {
    objects: ["ServiceMonitor flipop", "PrometheusRule flipop", "NetworkPolicy flipop", "ClusterRoutedIPClass public"],
    spec: { of: "ClusterRoutedIPClass public", field: "issuerRef.namespace", value: "flipop" },
  },
};

interface SpecPart {
  readonly of: string;
  readonly field: string;
  readonly value: unknown;
}

describe("examples", () => {
  it("are all listed here, and described in their README", () => {
    const readme = readFileSync(join(EXAMPLES, "README.md"), "utf8");
    expect(exampleNames()).to.have.members(Object.keys(EXPECTED));
    for (const name of exampleNames()) expect(readme).to.include(`](${name}.ts)`);
  });

  it("of Go and Java use the versions of the TypeScript ones", () => {
    const read = (file: string): string => readFileSync(join(EXAMPLES, file), "utf8");
    expect(read("go/go.mod")).to.include(`/cdk8sflipop v${RELEASE}\n`).and.include(`/cdk8s/v2 v${VERSIONS.cdk8s}\n`);
    expect(read("go/go.mod")).to.include(`/jsii-runtime-go v${VERSIONS.jsiiPacmak}\n`);
    const pom = read("java/pom.xml").replaceAll(/>\s+</g, "><");
    expect(pom).to.include(`<artifactId>cdk8s-flipop</artifactId><version>${RELEASE}</version>`);
    expect(pom).to.include(`<artifactId>cdk8s</artifactId><version>${VERSIONS.cdk8s}</version>`);
  });

  it("with Terraform read only outputs that its configuration has", () => {
    const outputs = JSON.parse(readFileSync(join(EXAMPLES, "terraform/outputs.json"), "utf8")) as object;
    const configuration = readFileSync(join(EXAMPLES, "terraform/main.tf"), "utf8");
    const app = readFileSync(join(EXAMPLES, "terraform-addresses.ts"), "utf8");
    const declared = [...configuration.matchAll(/^output "(\w+)"/gm)].map(([, name]) => name);
    const read = [...app.matchAll(/output<.*?>\("(\w+)"\)/g)].map(([, name]) => name);
    expect(Object.keys(outputs)).to.deep.equal(declared);
    expect(declared).to.include.members(read);
  });

  for (const [name, { objects, spec }] of Object.entries(EXPECTED)) {
    it(`${name} synthesises the required objects`, async () => {
      const found = objectsOf(await synthExample(name));
      expect(found.map(title)).to.include.members([...objects]);
      expect(valueAt(found.find((object) => title(object) === spec.of)?.spec, spec.field)).to.equal(spec.value);
    });
  }
});

function title({ kind, metadata }: ManifestObject): string {
  return `${kind} ${metadata.name}`;
}

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => Object(at)[key], value);
}
