import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type CloudflareSimulator, DEFAULT_TOKEN, startCloudflareSimulator } from "flipop-sandbox/cloudflare";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const ZONE = "example.com";
const NAME = `www.${ZONE}`;
const OF_PLATFORM = "198.51.100.80";
const DNS = { provider: "cloudflare", zone: ZONE, recordName: "www" };
const LIMITS = { allowedNames: [NAME], adoptRecords: true };

describe("operator in process: DNS names with the operator's own token", function () {
  this.timeout(60_000);
  let made: RoutedWorld;
  let cloudflare: CloudflareSimulator;

  beforeEach(async () => {
    cloudflare = await startCloudflareSimulator({ zones: [{ name: ZONE }] });
    cloudflare.addRecord(ZONE, { name: NAME, type: "A", content: OF_PLATFORM });
    made = await RoutedWorld.create(["n1"], {
      flags: { "issuer-namespaces": "default", namespace: "flipop" },
      env: { CLOUDFLARE_TOKEN: DEFAULT_TOKEN, CLOUDFLARE_API_URL: cloudflare.url },
    });
    const data = { DIGITALOCEAN_ACCESS_TOKEN: Buffer.from(made.world.digitalocean.token).toString("base64") };
    made.world.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "team", namespace: "default" }, data },
    });
    made.addIssuer({ credentialsSecretRef: { name: "team" }, ...LIMITS });
    made.serve({ node: "n1" });
  });

  afterEach(async () => {
    await made.close();
    await cloudflare.close();
  });

  const values = () => cloudflare.records(ZONE, NAME).map(({ content }) => content);

  it("are not those that the author of an issuer in a team's namespace allows", async () => {
    made.addRouted("a", { dnsRecordSet: DNS });
    made.world.start();
    await made.until("the name is refused", () => made.condition("a", "DNSReady") === "False/NameNotAllowed");
    await made.until("the address serves", () => made.condition("a", "Assigned") === "True/Observed");
    await made.world.rest();
    expect(values()).to.deep.equal([OF_PLATFORM]);
    const { conditions = [] } = made.status("a");
    expect(conditions.find(({ type }) => type === "DNSReady")?.message)
      .to.include(`would write ${NAME} with the token for cloudflare of namespace flipop`)
      .and.include("list the name in allowedNames of a class");
  });

  it("are not those of an issuer whose Secret is gone: its records wait for its own token", async () => {
    const { kubernetes, digitalocean } = made.world;
    const secret = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "team" };
    const dnsRecordSet = { ...DNS, provider: "digitalocean", deletionPolicy: "Delete" as const };
    kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    made.addIssuer({ credentialsSecretRef: { name: "team" } });
    made.addRouted("a", { dnsRecordSet });
    const first = made.world.start();
    await made.until("the name is in place", () => made.condition("a", "DNSReady") === "True/Observed");
    await first.stop();
    const data = kubernetes.get(secret)?.["data"];
    kubernetes.delete(secret);
    made.world.start();
    await made.until("no token", () => made.condition("a", "Accepted") === "False/SecretNotFound");
    const calls = digitalocean.journal.calls().length;
    kubernetes.delete(made.refTo("a"));
    await made.world.rest();
    expect(digitalocean.journal.calls().slice(calls), "with the operator's token").to.be.empty;
    expect(made.status("a").dns).to.include({ recordName: "www" });
    expect(made.world.events("RecordsFailed"), "the Event of the missing Secret says it").to.be.empty;
    const failed = made.world.logs.filter((line) => line.includes('"read-records"') && line.includes("Action failed"));
    expect(failed.join("\n"))
      .to.include("Secret default/team does not exist; fix: ")
      .and.not.include("the operator has no token");
    await made.world.clock.sleep(1_200_000);
    kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "team", namespace: "default" }, data });
    const since = made.world.clock.now();
    await made.until("all gone", () => made.object("a") === undefined);
    expect(made.world.clock.now() - since, "ms after the Secret came back").to.be.below(180_000);
  });

  it("are those that a class allows, whose records it may let the operator replace", async () => {
    made.world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "public" } },
      spec: { issuerRef: { name: "do", namespace: "default" }, ...LIMITS },
    });
    made.addRouted("a", { className: "public", dnsRecordSet: DNS });
    made.world.start();
    await made.until("the name is in place", () => made.condition("a", "DNSReady") === "True/Observed");
    expect(values()).to.deep.equal([made.status("a").routedIP]);
  });
});

describe("operator in process: records of a RoutedIP that wait for a limit of calls", function () {
  this.timeout(120_000);

  it("show until when, in DNSReady", async () => {
    const made = await RoutedWorld.create(["n1"]);
    try {
      const { faults } = made.world.digitalocean;
      faults.inject({ kind: "status", status: 429, retryAfterSeconds: 15 }, { on: /domains/, times: 4 });
      made.addIssuer();
      const dnsRecordSet = { provider: "digitalocean", zone: "example.com", recordName: "www" };
      made.addRouted("a", { dnsRecordSet });
      made.serve({ node: "n1" });
      made.world.start();
      const seen = new Set<string>();
      await made.until("the record is written", () => {
        const { reason, message } = made.status("a").conditions?.find(({ type }) => type === "DNSReady") ?? {};
        if (made.status("a").state === "active") seen.add(`${reason} ${message}`);
        return made.condition("a", "DNSReady").startsWith("True");
      });
      expect([...seen].join("\n")).to.match(/RateLimited the operator changes www.example.com; .*the next call at 20/);
    } finally {
      await made.close();
    }
  });
});
