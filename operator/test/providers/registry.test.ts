import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { silentLogger } from "../../src/logging.js";
import type { AuditRecord } from "../../src/providers/audit.js";
import type { ProviderSet } from "../../src/providers/compose.js";
import { digitalOcean } from "../../src/providers/digitalocean/index.js";
import { ProviderRegistry, UnknownProviderError } from "../../src/providers/registry.js";
import type { AddressProvider } from "../../src/providers/types.js";
import { Redactor } from "../../src/redactor.js";
import { openFence } from "../../src/runtime/fence.js";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "../../src/sandbox/digitalocean/simulator.js";
import { FakeClock } from "../support/fake-clock.js";
import { errorOf } from "../support/http-rig.js";
import { ASKER } from "./conformance/benches.js";

describe("the registry of providers", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  function registry(env: Record<string, string>, dryRun = false) {
    const audit: AuditRecord[] = [];
    const metrics = { calls: { inc: () => undefined }, callSeconds: { observe: () => undefined } };
    const redactor = new Redactor();
    const made = new ProviderRegistry({
      ...{ clock: new FakeClock(), random: () => 0, metrics, fence: openFence, dryRun, redactor },
      ...{ audit: (record: AuditRecord) => void audit.push(record), logger: silentLogger },
      ...{ kinds: [digitalOcean], env, userAgent: "flipop/1" },
    });
    open.push(made);
    return { made, audit, redactor };
  }

  async function simulator(): Promise<DigitalOceanSimulator> {
    const started = await startDigitalOceanSimulator({ clock: new FakeClock() });
    open.push(started);
    return started;
  }

  it("has those with credentials, and says what to do about the others", () => {
    const { made } = registry({});

    expect(made.names).to.deep.equal([]);
    expect(() => made.get("digitalocean"))
      .to.throw(UnknownProviderError)
      .with.property("message")
      .that.includes("DIGITALOCEAN_ACCESS_TOKEN_FILE");
    expect(() => made.get("aws")).to.throw(/unknown provider "aws".*use one of digitalocean/);
  });

  it("takes a token file in place of the token", () => {
    expect(registry({ DIGITALOCEAN_ACCESS_TOKEN_FILE: "/run/token" }).made.names).to.deep.equal(["digitalocean"]);
  });

  it("refuses a base URL that is none, at start", () => {
    const env = { DIGITALOCEAN_ACCESS_TOKEN: "secret-token", DIGITALOCEAN_API_URL: "not a url" };

    expect(() => registry(env)).to.throw(/DIGITALOCEAN_API_URL: "not a url" is no URL/);
  });

  it("never shows a token, neither of the environment nor of a Secret", async () => {
    const { made, redactor } = registry({ DIGITALOCEAN_ACCESS_TOKEN: "environment-token" });
    made.issue("apps/issuer", "digitalocean", "issuer-token");

    expect(redactor.scrub("environment-token issuer-token")).not.to.match(/(environment|issuer)-token/);
  });

  it("goes on with the same connections when an issuer's Secret changes", async () => {
    const cloud = await simulator();
    const { made } = registry({ DIGITALOCEAN_API_URL: cloud.url });
    const set = made.issue("apps/issuer", "digitalocean", "a-wrong-token");
    expect(await errorOf(addressesOf(set).get(ASKER, "192.0.2.1"))).to.include({
      kind: "Unauthorized",
    });

    expect(made.issue("apps/issuer", "digitalocean", cloud.token)).to.equal(set);
    expect(await addressesOf(set).get(ASKER, "192.0.2.1")).to.equal(undefined);
  });

  it("changes nothing in a dry run, and puts on record what it would have done", async () => {
    const cloud = await simulator();
    const env = { DIGITALOCEAN_API_URL: cloud.url, DIGITALOCEAN_ACCESS_TOKEN: cloud.token };
    const { made, audit } = registry(env, true);
    const addresses = addressesOf(made.get("digitalocean"));

    const error = await errorOf(addresses.create(ASKER, { family: "IPv4", region: "nyc3" }));

    expect(error).to.have.property("name", "DryRunError");
    expect(cloud.journal.count()).to.equal(0);
    expect(audit).to.have.length(1);
    expect(audit[0]).to.deep.include({ kind: "create-address", target: "nyc3", outcome: "withheld" });
    expect(await addresses.list(ASKER, { family: "IPv4", named: [] })).to.deep.equal([]);
  });
});

function addressesOf({ addresses }: ProviderSet): AddressProvider {
  if (addresses === undefined) throw new Error("the provider has no addresses");
  return addresses;
}
