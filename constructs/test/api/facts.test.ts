import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ALL_KINDS,
  API_GROUP,
  CONDITION_TYPES,
  DEFAULT_FEATURES,
  FEATURES,
  type FeatureName,
  FLAGS,
  LEASE_NAME,
  METRICS,
  PERMISSIONS,
  permissionsFor,
  providerVariables,
  REASONS,
} from "../../src/api";

const API = join(__dirname, "../../src/api");

describe("the type model", () => {
  it("imports nothing but itself", () => {
    for (const file of readdirSync(API, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const imports = [...readFileSync(join(API, file), "utf8").matchAll(/(?:from|import|require\()\s*"([^"]+)"/g)].map(
        (match) => match[1],
      );
      const inside = imports.map((source) => relative(API, resolve(API, dirname(file), source ?? "")));
      for (const path of inside) expect(path, file).to.match(/^(?!\.\.)[a-z-]/);
      for (const source of imports) expect(source, file).to.match(/^\./);
    }
  });
});

describe("permissions", () => {
  const all = Object.keys(FEATURES) as FeatureName[];

  it("are only those that a feature needs", () => {
    const writes = (features: readonly FeatureName[]) =>
      permissionsFor(features).filter(({ resources, verbs }) => resources.includes("nodes") && verbs.includes("patch"));
    expect(writes(["dns"])).to.deep.equal([]);
    expect(writes(["pools"])).to.have.length(1);
    expect(permissionsFor(DEFAULT_FEATURES).some(({ resources }) => resources.includes("jobs"))).to.equal(false);
  });

  it("allow the operator to watch every kind and to patch its status", () => {
    for (const { plural } of ALL_KINDS) {
      const verbs = (resource: string) =>
        permissionsFor(all)
          .filter(({ resources }) => resources.includes(resource))
          .flatMap((p) => p.verbs);
      expect(verbs(plural)).to.include.members(["list", "watch", "patch"]);
      expect(new Set(verbs(`${plural}/status`))).to.deep.equal(new Set(["patch"]));
    }
  });

  it("never contain a wildcard, delete for anything except Jobs and DNSEndpoint objects, or reading Secrets in the whole cluster", () => {
    for (const { resources, verbs, scope, apiGroup } of PERMISSIONS) {
      expect([apiGroup, ...resources, ...verbs]).not.to.include("*");
      if (verbs.includes("delete"))
        expect(["jobs in jobNamespaces", "dnsendpoints in operatorNamespace"]).to.include(
          `${resources.join()} in ${scope}`,
        );
      if (resources.includes("secrets")) expect(scope).to.equal("issuerNamespaces");
    }
  });

  it("state the reason", () => {
    for (const { why } of PERMISSIONS) expect(why).to.match(/^\w.{10,}/);
  });
});

describe("configuration", () => {
  it("has one environment variable for each flag", () => {
    const names = FLAGS.map(({ env }) => env);
    expect(new Set(names).size).to.equal(FLAGS.length);
    for (const { name, env } of FLAGS) expect(env).to.equal(`FLIPOP_${name.replaceAll("-", "_").toUpperCase()}`);
  });

  it("keeps the Go operator's flags, variables, lease and defaults", () => {
    const defaults = Object.fromEntries(FLAGS.map((flag) => [flag.name, flag.default]));
    expect(defaults).to.include({ kubeconfig: "", "metrics-bind-addr": ":8080", debug: "false" });
    expect(providerVariables().map(({ env }) => env)).to.include.members([
      "DIGITALOCEAN_ACCESS_TOKEN",
      "DIGITALOCEAN_API_URL",
      "DIGITALOCEAN_USER_AGENT",
      "CLOUDFLARE_TOKEN",
      "CLOUDFLARE_API_URL",
      "CLOUDFLARE_USER_AGENT",
    ]);
    expect(LEASE_NAME).to.equal("floating-ip-pool-controller-leader-election");
  });

  it("has defaults that are valid values of the flag", () => {
    for (const { name, type, default: value, choices } of FLAGS) {
      if (type === "boolean") expect(value, name).to.be.oneOf(["true", "false"]);
      if (type === "seconds") expect(Number(value), name).to.be.above(0);
      if (choices) for (const part of value.split(",")) expect(choices, name).to.include(part);
    }
  });
});

describe("names", () => {
  it("of conditions and reasons are CamelCase words", () => {
    for (const word of [...Object.keys(CONDITION_TYPES), ...Object.keys(REASONS)])
      expect(word).to.match(/^[A-Z][A-Za-z]+$/);
  });

  it("of metrics are the Go operator's", () => {
    // This metric has a name like the Go operator's, but is new.
    const names = Object.keys(METRICS).filter((name) => name !== "flipop_floatingippoolcontroller_inactive_ips");
    expect(
      names.filter((name) => /^flipop_(floatingippoolcontroller|nodednsrecordset|providers)_/.test(name)),
    ).to.have.length(9);
    expect(METRICS.flipop_floatingippoolcontroller_ip_node.labels).to.have.members([
      "namespace",
      "name",
      "ip",
      "provider",
      "dns",
      "provider_id",
      "node",
    ]);
    expect(METRICS.flipop_providers_calls_total.labels).to.have.members([
      "provider",
      "call",
      "outcome",
      "kind",
      "namespace",
      "name",
    ]);
  });

  it("of the API group are those of the Go operator", () => {
    expect(API_GROUP).to.equal("flipop.digitalocean.com");
  });
});
