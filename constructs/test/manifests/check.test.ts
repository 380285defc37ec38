import { App, Chart } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { stringify } from "yaml";
import { FlipopOperator, OperatorFeature } from "../../src";
import { KINDS, type KindName } from "../../src/api";
import { checkManifests, type ManifestProblem, unreadableProblem } from "../../src/manifests/check";
import { readManifests } from "../../src/manifests/read";
import { BAD_SPECS } from "../data/bad-specs";
import { FULL_SPECS } from "../data/full-specs";
import { minimalSpec } from "../data/minimal-specs";

const HEAD = "apiVersion: flipop.digitalocean.com/v1alpha1\n";
const TOKEN = `dop_v1_${"0123456789abcdef".repeat(4)}`;

/** The problems of YAML text, as a person reads them: line, object, field and message. */
function problems(text: string): readonly string[] {
  const { sources, unreadable } = readManifests([{ name: "a.yaml", text }]);
  return errors([...unreadable.map(unreadableProblem), ...checkManifests(sources)]).map(
    ({ line, title, path, message }) => `${line} ${title}: ${path}: ${message}`,
  );
}

/** Without warnings, such as those about the addresses of these tests. */
function errors(found: readonly ManifestProblem[]): readonly ManifestProblem[] {
  return found.filter(({ isWarning }) => !isWarning);
}

function manifest(kind: KindName, spec: unknown, metadata: object = { name: "a" }): string {
  return stringify({ apiVersion: "flipop.digitalocean.com/v1alpha1", kind, metadata, spec }, { version: "1.1" });
}

describe("the check of manifests", () => {
  for (const { kind, spec } of FULL_SPECS.filter(
    (sample) => !JSON.stringify(sample).includes('ttlSecondsAfterFinished":60'),
  )) {
    it(`accepts a ${kind} with every field`, () => {
      expect(problems(manifest(kind, spec))).to.deep.equal([]);
    });
  }

  for (const { kind, name, spec, path, says } of BAD_SPECS) {
    it(`refuses ${kind} with ${name}`, () => {
      const found = problems(manifest(kind, spec));
      expect(found).to.have.length(1);
      expect(found[0]).to.include(`${kind} a: ${path}: `).and.to.include(says);
    });
  }

  it("applies the rules of the constructs, in the words of fields", () => {
    const spec = { provider: "digitalocean", desiredIPs: 3, ips: ["2001:db8::1", "2001:DB8::1"], region: "ny c3" };
    expect(problems(manifest("FloatingIPPool", spec, { name: "web", namespace: "ingress" }))).to.deep.equal([
      '11 FloatingIPPool ingress/web: spec.ips[1]: "2001:DB8::1" is listed twice: remove one',
      '12 FloatingIPPool ingress/web: spec.region: "ny c3" contains white space, unlike any region\'s name: write "nyc3"',
    ]);
  });

  it("takes an empty namespace as none, and leaves out other objects whose metadata is not usable", () => {
    const pool = manifest("FloatingIPPool", minimalSpec("FloatingIPPool"), { name: "a", namespace: "" });
    const others = [
      { name: "" },
      { name: "a", namespace: "" },
      { name: "a", namespace: 5 },
      { name: "a", finalizers: 3 },
    ];
    const maps = others.map((metadata) => stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }));
    expect(problems([pool, ...maps].join("---\n"))).to.deep.equal([]);
  });

  it("shows the field that a part of a prop writes", () => {
    const jobs = { updateRoutedIP: { completions: 2, template: {} }, updateFirewall: { template: {} } };
    expect(problems(manifest("ClusterRoutedIPClass", jobs)).map((line) => line.split(": ")[1])).to.include(
      "spec.updateRoutedIP.completions",
    );
    const record = { recordName: "a b", zone: "example.com", provider: "digitalocean" };
    expect(problems(manifest("NodeDNSRecordSet", { dnsRecordSet: record })).join()).to.include(
      'spec.dnsRecordSet.recordName: "a b" is not a DNS name',
    );
  });

  it("compares all objects of all files", () => {
    const pool = manifest("FloatingIPPool", minimalSpec("FloatingIPPool"), { name: "a", namespace: "x" });
    const other = manifest("FloatingIPPool", minimalSpec("FloatingIPPool"), { name: "b", namespace: "y" });
    const { sources } = readManifests([
      { name: "one.yaml", text: pool },
      { name: "two.yaml", text: other },
    ]);
    expect(errors(checkManifests(sources))).to.deep.equal([
      {
        file: "two.yaml",
        line: 9,
        title: "FloatingIPPool y/b",
        name: "b",
        path: "spec.ips[0]",
        message: '"192.0.2.1" is also listed by FloatingIPPool x/a: remove it from one of the two',
        isWarning: false,
      },
    ]);
  });

  describe("of an operator and what it serves", () => {
    const pool = { provider: "digitalocean", ips: ["8.8.8.8"], match: { podLabel: "a=b", podNamespace: "ingress" } };
    const web = manifest("FloatingIPPool", pool, { name: "web", namespace: "web" });

    function operator(args: readonly string[], env: readonly object[] = []): string {
      const containers = [{ name: "operator", image: "ghcr.io/flipop/flipop:1", args, env }];
      const metadata = { name: "flipop", namespace: "flipop" };
      const spec = { template: { spec: { containers } } };
      return stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec });
    }

    it("finds a feature, a watched namespace and a permission that are missing", () => {
      const lacking = operator(["run", "--features=dns", "--watch-namespaces=a,b", "--pod-namespaces", "a"]);
      const place = "operator Deployment flipop/flipop";
      expect(problems(`${lacking}---\n${web}`).map((line) => line.replace(/^\d+ /, ""))).to.deep.equal([
        `FloatingIPPool web/web: : needs feature "pools", which ${place} does not have: add it to flag --features (prop or value features), with the permissions for it`,
        `FloatingIPPool web/web: metadata.namespace: ${place} does not watch namespace "web" (only a, b): add it to flag --watch-namespaces (prop or value watchNamespaces), with the permissions for it`,
        `FloatingIPPool web/web: spec.match.podNamespace: ${place} may not read pods of namespace "ingress" (only of a): add it to flag --pod-namespaces (prop or value podNamespaces), with the permissions for it`,
      ]);
    });

    it("finds the permissions that RoutedIPs need", () => {
      const credentialsSecretRef = { name: "do", key: "token" };
      const metadata = { name: "do", namespace: "voice" };
      const issuer = manifest("RoutedIPIssuer", { provider: "digitalocean", credentialsSecretRef }, metadata);
      const found = problems(`${operator([])}---\n${issuer}`);
      expect(found.join()).to.include('may not read Secrets of namespace "voice" (only of flipop): add it to flag');
      const env = [{ name: "FLIPOP_ISSUER_NAMESPACES", value: "flipop, voice" }];
      expect(problems(`${operator([], env)}---\n${issuer}`)).to.deep.equal([]);
    });

    it("finds a token that the Secret does not have", () => {
      const env = [
        {
          name: "DIGITALOCEAN_ACCESS_TOKEN",
          valueFrom: { secretKeyRef: { name: "flipop", key: "DIGITALOCEAN_ACCESS_TOKEN" } },
        },
      ];
      const metadata = { name: "flipop", namespace: "flipop" };
      const secret = stringify({ apiVersion: "v1", kind: "Secret", metadata, stringData: { CLOUDFLARE_TOKEN: "x" } });
      const found = problems(`${operator(["run"], env)}---\n${secret}---\n${web}`);
      expect(found.join()).to.include('has no token for DigitalOcean: Secret "flipop"');
    });

    for (const [title, args] of [
      ["all defaults", []],
      ["the right namespaces", ["--debug", "--watch-namespaces=web", "--pod-namespaces=ingress,a"]],
      ["another command", ["sandbox", "--features=dns"]],
    ] as const) {
      it(`accepts ${title}`, () => expect(problems(`${operator(args)}---\n${web}`)).to.deep.equal([]));
    }

    it("reads what the construct writes", () => {
      const chart = new Chart(new App(), "flipop");
      new FlipopOperator(chart, "operator", { features: [OperatorFeature.POOLS], watchNamespaces: ["a"] });
      const objects = (chart.toJson() as object[]).map((object) => stringify(object)).join("---\n");
      expect(problems(`${objects}---\n${web}`).join()).to.include('does not watch namespace "web" (only a)');
    });
  });

  it("asks a Service of another namespace for its permission", () => {
    const service = stringify({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "b" },
      spec: {},
    });
    const routed = { className: "public", serviceRef: { serviceName: "web", namespace: "b" } };
    const text = `${service}---\n${manifest("RoutedIP", routed, { name: "a", namespace: "a" })}`;
    expect(problems(text).join()).to.include('of namespace "b" does not allow namespace "a": annotate it');
  });

  it("reads Lists and JSON, and ignores other kinds, empty documents, status, and what the API server adds", () => {
    const item = {
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "FloatingIPPool",
      metadata: { name: "a", uid: "1", managedFields: [], finalizers: ["flipop.digitalocean.com/cleanup"] },
      spec: { provider: "digitalocean" },
      status: { anything: 1 },
    };
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [item] }, undefined, 1);
    expect(problems(`---\n---\n${list}\n---\nkind: Kustomization\n`)).to.deep.equal([
      "18 FloatingIPPool a: spec: the pool has no addresses: list some in ips, or set desiredIPs to the number to create",
    ]);
  });

  const bad: readonly (readonly [title: string, text: string, says: string])[] = [
    [
      "another version",
      "apiVersion: flipop.digitalocean.com/v1\nkind: FloatingIPPool\n",
      "use flipop.digitalocean.com/v1alpha1",
    ],
    ["a misspelt kind", `${HEAD}kind: FloatingIpPools\n`, "use FloatingIPPool"],
    ["an unknown kind", `${HEAD}kind: Pod\n`, "use one of FloatingIPPool, NodeDNSRecordSet"],
    [
      "no name",
      `${HEAD}kind: RoutedIPIssuer\nspec: { provider: digitalocean }\n`,
      "metadata.name: is missing: give the object a name",
    ],
    [
      "an empty name",
      `${HEAD}kind: RoutedIPIssuer\nmetadata: { name: "" }\nspec: { provider: digitalocean }\n`,
      "metadata.name: is missing: give the object a name",
    ],
    [
      "a number as the name",
      `${HEAD}kind: RoutedIPIssuer\nmetadata: { name: 5 }\nspec: { provider: digitalocean }\n`,
      "metadata.name: 5 is not text: write a name, in quotes if it looks like a number",
    ],
    [
      "a number as the namespace",
      `${HEAD}kind: RoutedIPIssuer\nmetadata: { name: a, namespace: 5 }\nspec: { provider: digitalocean }\n`,
      "metadata.namespace: 5 is not text",
    ],
    [
      "finalizers that are no list",
      `${HEAD}kind: RoutedIPIssuer\nmetadata: { name: a, finalizers: 5 }\nspec: { provider: digitalocean }\n`,
      "metadata.finalizers: 5 is not a list",
    ],
    ["no spec", `${HEAD}kind: RoutedIPIssuer\nmetadata: { name: a }\n`, "spec: is required: add it"],
    [
      "a field beside the spec",
      `${HEAD}kind: RoutedIPIssuer\nmetadata: { name: a }\nspec: { provider: digitalocean }\nregion: nyc3\n`,
      "region: is not a field: the fields are apiVersion, kind, metadata, spec, status",
    ],
    ["text that is not YAML", "a: {{- if .Values.x }}\nb: c\n", "is not YAML"],
    ["an alias without its anchor", "a: *b\n", "is not YAML: Unresolved alias"],
    ["text that is not an object", "just text\n", "is not a Kubernetes object: it has no fields"],
    [
      "a namespace of a cluster-scoped kind",
      manifest("ClusterRoutedIPClass", minimalSpec("ClusterRoutedIPClass"), { name: "a", namespace: "b" }),
      "metadata.namespace",
    ],
    [
      "a bad label",
      manifest("RoutedIPIssuer", { provider: "digitalocean" }, { name: "a", labels: { "a b": "c" } }),
      "label key",
    ],
  ];
  for (const [title, text, says] of bad) {
    it(`refuses ${title}`, () => {
      const found = problems(text);
      expect(found).to.have.length(1);
      expect(found[0]).to.include(says);
    });
  }

  it("names the place of an API token and does not show it", () => {
    const spec = { provider: "digitalocean", credentialsSecretRef: { name: "a", key: "b" }, region: TOKEN };
    const found = problems(manifest("RoutedIPIssuer", spec));
    expect(found.join()).to.include("spec.region: the value looks like an API token (not shown here)");
    expect(found.join()).not.to.include(TOKEN.slice(0, 12));
    expect(Object.keys(KINDS)).to.have.length(5);
  });
});
