import { allProviders, type ProviderService } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { afterEach, describe, it } from "mocha";
import { Redactor, silentLogger } from "../../src/logging.js";
import { cloudflare } from "../../src/providers/cloudflare/index.js";
import { planRecordChanges } from "../../src/providers/diff.js";
import { digitalOcean } from "../../src/providers/digitalocean/index.js";
import type { ProviderError } from "../../src/providers/errors.js";
import { PROVIDER_KINDS } from "../../src/providers/kinds.js";
import type { ProviderSet } from "../../src/providers/layers/compose.js";
import type { AuditRecord } from "../../src/providers/layers/mutations.js";
import { ProviderRegistry, UnknownProviderError } from "../../src/providers/registry.js";
import type { AddressProvider } from "../../src/providers/types.js";
import { openFence } from "../../src/runtime/fence.js";
import { NO_METRICS } from "../support/cloud/provider-stack.js";
import { answer, errorOf, HttpRig } from "../support/http-rig.js";
import { TempDir } from "../support/temp-dir.js";
import { FakeClock } from "../support/time/fake-clock.js";
import { until } from "../support/time/until.js";
import { ASKER } from "./conformance/benches.js";

const SERVICES: readonly ProviderService[] = ["addresses", "dns", "firewalls"];

describe("the registry of providers", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  function registry(env: Record<string, string>, dryRun = false, clock = new FakeClock()) {
    const audit: AuditRecord[] = [];
    const redactor = new Redactor();
    const made = new ProviderRegistry({
      ...{ clock, random: () => 0, metrics: NO_METRICS, fence: openFence, dryRun, redactor },
      ...{ audit: (record: AuditRecord) => void audit.push(record), logger: silentLogger },
      ...{ kinds: [digitalOcean, cloudflare], env, userAgent: "flipop/1" },
    });
    open.push(made);
    return { made, audit, redactor };
  }

  async function simulator(clock = new FakeClock()): Promise<DigitalOceanSimulator> {
    const started = await startDigitalOceanSimulator({ clock });
    open.push(started);
    return started;
  }

  it("keeps a token out of the errors of its calls, also if the API repeats it: they become conditions and Events", async () => {
    const token = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6lM9o";
    const cloud = await HttpRig.create();
    open.push(cloud);
    cloud.handler = ({ headers }, response) =>
      answer(response, 422, { id: "unprocessable", message: `no such token: ${headers.authorization?.split(" ")[1]}` });
    const { made } = registry({ DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: cloud.url });
    const issued = made.issue("apps/do", "digitalocean", { token: `${token}2` });
    for (const { addresses } of [made.get("digitalocean", "addresses"), issued]) {
      const error = await errorOf((addresses as AddressProvider).get(ASKER, "203.0.113.7"));
      expect(error).to.have.property("kind", "Terminal");
      expect(`${error} ${JSON.stringify(error)}`)
        .to.include("[redacted]")
        .and.not.include(token);
    }
    expect(cloud.seen, "of the issuer, the account, too").to.have.length(3);
  });

  it("has those with credentials, and says what to do about the others", () => {
    const { made } = registry({});

    expect(made.names).to.deep.equal([]);
    expect(() => made.get("digitalocean", "addresses"))
      .to.throw(UnknownProviderError)
      .with.property("message")
      .that.includes("DIGITALOCEAN_ACCESS_TOKEN_FILE");
  });

  it("removes a token before it shortens what the API said: no part of one stays at the cut", async () => {
    const token = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6lM9o";
    const cloud = await HttpRig.create();
    open.push(cloud);
    const { made } = registry({ DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: cloud.url });
    const addresses = made.get("digitalocean", "addresses").addresses as AddressProvider;
    for (const before of [250, 270, 290, 299, 310, 8170, 8190, 9000]) {
      const message = `${"no ".repeat(before).slice(0, before - 1)}=${token}, and ${"so on ".repeat(1000)}`;
      cloud.handler = (_, response) => answer(response, 422, { id: "unprocessable", message });
      const { seen } = (await errorOf(addresses.get(ASKER, "203.0.113.7"))) as ProviderError;
      expect(seen, `${before} characters before it`).to.match(/^answer 422: no no /);
      expect(seen).to.not.include(token.slice(0, 4));
      expect(seen.length).to.be.within(200, 330);
    }
  });

  it("names, for a provider that it does not have, those with the service that is needed", () => {
    const { made } = registry({});

    expect(() => made.get("aws", "addresses")).to.throw(/^provider "aws" is unknown; fix: use digitalocean$/);
    expect(() => made.get("aws", "dns")).to.throw(
      /^provider "aws" is unknown; fix: use one of cloudflare, digitalocean, external-dns$/,
    );
    expect(() => made.get("cloudflare", "addresses")).to.throw(
      /^provider "cloudflare" has no addresses; fix: use digitalocean$/,
    );
    expect(() => made.get("external-dns", "dns")).to.throw(
      /runs without feature externaldns; fix: .* features of the chart or construct/,
    );
  });

  it("builds every provider of the type model, with the services that the model lists, and no other", () => {
    for (const { name, services, tokenVariable } of allProviders()) {
      const set = registry({ [tokenVariable]: "a-token" }).made.get(name, "addresses");
      const built = SERVICES.filter((service) => set[service] !== undefined);
      expect(built, name).to.deep.equal(services);
    }
    expect(PROVIDER_KINDS.map(({ name }) => name)).to.deep.equal(allProviders().map(({ name }) => name));
  });

  it("takes a token file in place of the token", () => {
    expect(registry({ DIGITALOCEAN_ACCESS_TOKEN_FILE: "/run/token" }).made.names).to.deep.equal(["digitalocean"]);
  });

  it("never shows a token, neither of the environment nor of a Secret", async () => {
    const { made, redactor } = registry({ DIGITALOCEAN_ACCESS_TOKEN: "environment-token" });
    made.issue("apps/issuer", "digitalocean", { token: "issuer-token" });

    expect(redactor.scrub("environment-token issuer-token")).not.to.match(/(environment|issuer)-token/);
  });

  it("goes on with the same connections when an issuer's Secret changes", async () => {
    const cloud = await simulator();
    const { made } = registry({ DIGITALOCEAN_API_URL: cloud.url });
    const set = made.issue("apps/issuer", "digitalocean", { token: "a-wrong-token" });
    expect(await errorOf(addressesOf(set).get(ASKER, "192.0.2.1"))).to.include({
      kind: "Unauthorized",
    });

    expect(made.issue("apps/issuer", "digitalocean", { token: cloud.token })).to.equal(set);
    expect(await addressesOf(set).get(ASKER, "192.0.2.1")).to.equal(undefined);
  });

  it("goes on without a restart when the token in its file is rotated, as soon as the old one is refused", async () => {
    const cloud = await simulator();
    const dir = new TempDir();
    open.push({ close: async () => dir.remove() });
    const file = dir.write("token", cloud.token);
    const { made, redactor } = registry({ DIGITALOCEAN_API_URL: cloud.url, DIGITALOCEAN_ACCESS_TOKEN_FILE: file });
    const addresses = addressesOf(made.get("digitalocean", "addresses"));
    expect(await addresses.get(ASKER, "192.0.2.1")).to.equal(undefined);

    cloud.tokens.revoke(cloud.token);
    cloud.tokens.add({ name: "rotated", secret: "dop_v1_rotated" });
    expect(await errorOf(addresses.get(ASKER, "192.0.2.1"))).to.include({ kind: "Unauthorized" });
    dir.write("token", "dop_v1_rotated\n");
    expect(await addresses.get(ASKER, "192.0.2.1")).to.equal(undefined);
    expect(redactor.scrub("dop_v1_rotated")).to.not.include("rotated");
  });

  it("sends no call with a token of another account, from whichever place, until one of the former account is there", async () => {
    const cloud = await HttpRig.create();
    const dir = new TempDir();
    open.push(cloud, { close: async () => dir.remove() });
    const [first, second, foreign] = ["a-first-token", "a-second-token", "a-foreign-token"];
    const record = { id: 7, type: "A", name: "www", data: "203.0.113.7", ttl: 60 };
    cloud.handler = ({ url = "", headers }, response) => {
      const uuid = headers.authorization?.includes(foreign) ? "other-account" : "account";
      if (url.endsWith("/account")) answer(response, 200, { account: { uuid, team: { uuid } } });
      else answer(response, 200, { domain_records: [], domain_record: record, meta: { total: 0 } });
    };
    const file = dir.write("token", first);
    const clock = new FakeClock();
    const env = { DIGITALOCEAN_API_URL: cloud.url, DIGITALOCEAN_ACCESS_TOKEN_FILE: file };
    const { made } = registry(env, false, clock);
    const issue = (token: string) => made.issue("apps/issuer", "digitalocean", { token });
    const name = { zone: "example.com", name: "www", types: ["A"] } as const;
    const write = async ({ dns }: ProviderSet) => {
      const facts = (await dns?.read(ASKER, name)) ?? expect.fail();
      return dns?.apply(ASKER, planRecordChanges(facts, { values: ["203.0.113.7"], ttl: 60 }));
    };
    const places = [
      { set: made.get("digitalocean", "dns"), put: (token: string) => void dir.write("token", token) },
      { set: issue(first), put: (token: string) => void issue(token) },
    ];
    for (const { set, put } of places) {
      await write(set);
      put(foreign);
      await clock.advance(60_000);
      const before = cloud.seen.length;
      expect(await errorOf(write(set))).to.include({
        kind: "Unauthorized",
        outcome: "not-sent",
        reason: "OtherAccount",
      });
      expect(cloud.seen.slice(before).map(({ url }) => url)).to.deep.equal(["/v2/account"]);
      put(second);
      await clock.advance(60_000);
      await write(set);
    }
  });

  it("announces a token that replaces another one, also one in a file that no call has read", async () => {
    const dir = new TempDir();
    open.push({ close: async () => dir.remove() });
    const clock = new FakeClock();
    const env = { DIGITALOCEAN_ACCESS_TOKEN_FILE: dir.write("token", "first") };
    const { made } = registry(env, false, clock);
    const issued = made.issue("apps/issuer", "digitalocean", { token: "first" });
    const end = new AbortController();
    const following = made.followFiles(end.signal);
    await clock.advance(10_000);
    const replaced: ProviderSet[] = [];
    made.onTokenReplaced((set) => replaced.push(set));
    dir.write("token", "second");
    await clock.advance(10_000);
    made.issue("apps/issuer", "digitalocean", { token: "first" });
    made.issue("apps/issuer", "digitalocean", { token: "second" });
    await clock.advance(30_000);
    expect(replaced).to.deep.equal([made.get("digitalocean", "dns"), issued]);
    end.abort();
    await following;
  });

  for (const [what, token, seen] of [
    ["of 1 MB", "x".repeat(1024 * 1024), "the token has 1048576 characters, and one has at most 8192"],
    ["with a line break", "first-token\nsecond-token", "the token contains a space, a line break or another character"],
    ["with a letter of another alphabet", "tok\u0435n-of-an-account", "the token contains a space, a line break or"],
  ] as const) {
    for (const provider of ["digitalocean", "cloudflare"] as const) {
      it(`sends no token ${what} to ${provider}, and says what is wrong with it, and where`, async () => {
        const cloud = await simulator();
        const urls = { DIGITALOCEAN_API_URL: cloud.url, CLOUDFLARE_API_URL: cloud.url };
        const { made } = registry(urls);
        const set = made.issue("apps/issuer", provider, { token, place: "entry token of Secret apps/cloud" });
        const name = { zone: "example.com", name: "www.example.com", types: ["A"] as const };
        const error = await errorOf(set.dns?.read(ASKER, name) ?? Promise.resolve());
        expect(error).to.include({ kind: "Unauthorized", outcome: "not-sent" });
        expect(`${error}`).to.include(seen).and.include("reads the token from entry token of Secret apps/cloud");
        expect(`${error}`).not.to.include("second-token");
        expect(cloud.journal.calls({})).to.deep.equal([]);
      });
    }
  }

  it("says so before it closes an issuer's connections: it is gone, or names another provider", async () => {
    const { made } = registry({});
    const withdrawn: ProviderSet[] = [];
    made.onWithdraw((set) => withdrawn.push(set));
    const first = made.issue("apps/issuer", "digitalocean", { token: "a-token" });
    const second = made.issue("apps/issuer", "cloudflare", { token: "a-token" });
    expect(withdrawn).to.deep.equal([first]);
    expect(second).to.have.property("dns");

    await made.withdraw("apps/issuer");
    await made.withdraw("apps/issuer");
    expect(withdrawn).to.deep.equal([first, second]);
    expect(made.issue("apps/issuer", "cloudflare", { token: "a-token" })).to.not.equal(second);
  });

  it("counts calls by token: two issuers with the same one, or the operator's own, share its limits", async () => {
    const clock = new FakeClock();
    const cloud = await simulator(clock);
    const env = { DIGITALOCEAN_API_URL: cloud.url, DIGITALOCEAN_ACCESS_TOKEN: cloud.token };
    const { made } = registry(env, false, clock);
    cloud.tokens.add({ name: "other", secret: "dop_v1_other" });
    const sets = [
      made.get("digitalocean", "addresses"),
      made.issue("apps/first", "digitalocean", { token: cloud.token }),
      made.issue("apps/second", "digitalocean", { token: cloud.token }),
    ];
    const reads = Array.from({ length: 300 }, (_, index) => {
      return addressesOf(sets[index % sets.length] ?? {}).get(ASKER, "192.0.2.1");
    });
    const other = made.issue("apps/third", "digitalocean", { token: "dop_v1_other" });
    await addressesOf(other).get(ASKER, "192.0.2.1");
    await until("a minute's calls were sent", () => cloud.journal.count({ caller: "default" }) >= 250);
    expect(cloud.journal.count({ caller: "default" })).to.equal(250);

    await clock.advance(61_000);
    await Promise.all(reads);
    expect(cloud.journal.count({ status: 429 })).to.equal(0);
  });

  it("changes nothing in a dry run, and puts on record what it would have done", async () => {
    const cloud = await simulator();
    const env = { DIGITALOCEAN_API_URL: cloud.url, DIGITALOCEAN_ACCESS_TOKEN: cloud.token };
    const { made, audit } = registry(env, true);
    const addresses = addressesOf(made.get("digitalocean", "addresses"));

    const error = await errorOf(addresses.create(ASKER, { family: "IPv4", region: "nyc3" }));

    expect(error).to.have.property("name", "DryRunError");
    expect(cloud.journal.count()).to.equal(0);
    expect(audit).to.have.length(1);
    expect(audit[0]).to.deep.include({ kind: "create-address", target: "nyc3", outcome: "withheld" });
    expect(await addresses.list(ASKER, { family: "IPv4", named: [] })).to.deep.equal([]);
  });
});

function addressesOf({ addresses }: Pick<ProviderSet, "addresses">): AddressProvider {
  if (addresses === undefined) throw new Error("the provider has no addresses");
  return addresses;
}
