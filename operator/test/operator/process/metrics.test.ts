import { GROUP_VERSION, METRICS, type MetricName } from "cdk8s-flipop/api";
import { expect } from "chai";
import { freePort } from "flipop-testbed";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const SERIES = /^(flipop_\w+?)(?:\{(.*)\})? /gm;
const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const RELEASE = /^DELETE \/v2\/reserved_ips\//;

function refTo(kind: string, name: string) {
  return { apiVersion: GROUP_VERSION, kind, namespace: "default", name };
}

describe("operator in process: metrics", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** Names of labels by the name of each metric that has a series in the text. */
  const seriesIn = (text: string): ReadonlyMap<string, readonly string[]> => {
    return new Map(
      [...text.matchAll(SERIES)].map(([, name = "", labels = ""]) => [
        name.replace(/_bucket$/, ""),
        [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label).filter((label) => label !== "le"),
      ]),
    );
  };

  const addOthers = (): void => {
    const { world } = made;
    const listed = Array.from({ length: 2 }, () => world.digitalocean.state.addAddress().ip);
    const healthCheck = { type: "TCP", port: 80 } as const;
    world.addPool("web", { ips: listed, dnsRecordSet: { zone: "example.com", recordName: "www" }, healthCheck });
    world.addPool("doomed", { desiredIPs: 1, reclaimPolicy: "Delete" });
    world.kubernetes.create({
      apiVersion: GROUP_VERSION,
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "default" },
      spec: { dnsRecordSet: { provider: "digitalocean", zone: "example.com", recordName: "nodes" } },
    });
  };

  it("emits each metric of the contract, with its labels", async () => {
    const port = await freePort();
    made = await RoutedWorld.create(["n1", "n2", "n3", "n4", "n5"], {
      flags: { "metrics-bind-addr": `127.0.0.1:${port}`, features: "pools,dns,routedip,healthchecks" },
      probe: () => Promise.resolve({ ok: true }),
    });
    const { world } = made;
    const { faults, state } = world.digitalocean;
    const refuse = () => faults.inject({ kind: "status", status: 503 }, { on: ASSIGN });
    refuse();
    made.addIssuer();
    made.addRouted("a", { routedIP: state.addAddress().ip });
    made.serve({ node: "n1" });
    world.start();
    await made.ready("a");
    refuse();
    addOthers();
    await world.fulfilled("web");
    await world.fulfilled("doomed");
    world.addPool("elsewhere", { desiredIPs: 1, provider: "unknown" });
    await world.until(
      "the unknown provider to be reported",
      () => world.condition("elsewhere", "Ready")?.status === "False",
    );
    faults.inject({ kind: "status", status: 403 }, { on: RELEASE, times: Infinity });
    world.kubernetes.delete(world.refTo("doomed"));
    await world.until("doomed to be given up", () => world.kubernetes.get(world.refTo("doomed")) === undefined);

    const scrape = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: "close" } });
      return answer.text();
    };
    const text = await scrape();
    const series = seriesIn(text);
    for (const name of Object.keys(METRICS) as MetricName[]) {
      expect(series.get(name), `labels of ${name} in\n${text}`).to.have.members([...METRICS[name].labels]);
    }
    const kinds = [...text.matchAll(/^flipop_resource_condition\{kind="(\w+)"/gm)].map(([, kind]) => kind);
    expect(new Set(kinds)).to.include.all.keys("FloatingIPPool", "NodeDNSRecordSet", "RoutedIP", "RoutedIPIssuer");

    const rest = [world.refTo("web"), refTo("NodeDNSRecordSet", "nodes"), refTo("RoutedIP", "a")];
    for (const ref of rest) world.kubernetes.delete(ref);
    await world.until("all to be gone", () => rest.every((ref) => world.kubernetes.get(ref) === undefined));
    await world.rest();
    // Calls stay: they are the account's history.
    const left = /^flipop_(?!providers_|cleanup_abandoned)\w+\{.*name="(doomed|web|nodes|a)".*$/gm;
    expect([...(await scrape()).matchAll(left)].map(([line]) => line)).to.deep.equal([]);
  });

  it("shows no token in any series, also while a call fails", async () => {
    const port = await freePort();
    made = await RoutedWorld.create(["n1"], { flags: { "metrics-bind-addr": `127.0.0.1:${port}` } });
    const { world } = made;
    const { token, tokens } = world.digitalocean;
    tokens.revoke(token);
    world.addPool("web", { desiredIPs: 1 });
    world.start();
    await made.until(
      "the refused token is reported",
      () => world.condition("web", "Accepted")?.reason === "Unauthorized",
    );
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: "close" } });
    const text = await answer.text();
    expect(text).to.include('reason="Unauthorized"');
    expect(text).not.to.include(token);
  });
});
