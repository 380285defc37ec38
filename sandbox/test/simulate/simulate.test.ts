import { App, Chart, Duration } from "cdk8s";
import {
  Credentials,
  DnsRecord,
  FlipopCrds,
  FlipopOperator,
  FloatingIPPool,
  NodeMatch,
  PodMatch,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  ServiceRef,
} from "cdk8s-flipop";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type SimulateOptions, simulate } from "../../src/simulate/index.js";

const PLAY_MS = 120_000;
const GIVE_NODES = 'give a list such as [{ name: "edge", count: 3 }]';

/** An app with the operator, and a pool whose pods another app defines. */
function webApp(grace = 0): App {
  const app = new App();
  new FlipopCrds(new Chart(app, "crds"), "crds");
  new FlipopOperator(new Chart(app, "flipop"), "operator");
  new FloatingIPPool(new Chart(app, "web", { namespace: "web" }), "pool", {
    metadata: { name: "web" },
    region: "ams3",
    desiredIps: 2,
    pods: PodMatch.labels({ app: "web" }, { namespace: "web" }),
    nodes: NodeMatch.doksNodePool("edge"),
    gracePeriod: Duration.seconds(grace),
    dnsRecord: DnsRecord.cloudflare("www.example.org", "023e105f4ecef8ad9ca31a8372d0c353"),
  });
  return app;
}

describe("simulate", function () {
  this.timeout(PLAY_MS);

  it("checks in one call that a pool moves in time, and that the rules hold", async () => {
    const { moves, holders, rules, log } = await simulate(webApp(), {
      fail: "node-1",
      movesWithin: Duration.seconds(3),
    });
    expect(moves).to.have.length(1);
    expect(moves[0]).to.include({ from: "node-1", to: "node-3" });
    expect([...holders.values()].sort()).to.deep.equal(["node-2", "node-3"]);
    expect(rules).to.include("no node ever held more than one address of a family");
    expect(log).to.include("node-1 stops answering");
  });

  it("rejects with the address that moved too late, and with what happened", async () => {
    const late = simulate(webApp(30), { fail: "holder of web/web", movesWithin: Duration.seconds(10) });
    const error = await late.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error).with.property("name", "AssertionError");
    expect(String(error)).to.match(
      /the simulation found:\n {2}\S+ moved from node-1 to node-3 after 3\d(\.\d)? s, not within 10 s\n/,
    );
    expect(String(error)).to.include("node-1 stops answering");
  });

  it("rejects a failure of a node without an address, and one of a node that does not exist", async () => {
    const idle = await simulate(webApp(), { fail: "node-3", movesWithin: Duration.seconds(3) }).catch(String);
    expect(idle).to.include('node-3 held no address when it failed: name another node, or "holder of NAMESPACE/NAME"');
    const unknown = await simulate(webApp(), { fail: "node-9" }).catch(String);
    expect(unknown).to.include("there is no node node-9");
  });

  it("takes times of less than a second", async () => {
    const late = await simulate(webApp(), { fail: "node-1", movesWithin: Duration.millis(100) }).catch(String);
    expect(late).to.match(/moved from node-1 to node-3 after \S+ s, not within 0\.1 s/);
  });

  const misspelt: readonly (readonly [options: object, says: string])[] = [
    [{ moveWithin: 3 }, "moveWithin is not an option of simulate: did you mean movesWithin?"],
    [{ fial: "node-1" }, "fial is not an option of simulate: use one of fail, movesWithin, cloudTakes, nodes"],
    [{ nodes: [{ name: "edge", counts: 3 }] }, "nodes[0].counts is not a field of nodes: did you mean count?"],
    [{ nodes: [{ name: "edge" }] }, `nodes[0] needs a name and a count from 1: ${GIVE_NODES}`],
    [{ nodes: "edge" }, `nodes: "edge" is not a list: ${GIVE_NODES}`],
    [{ nodes: [3] }, `nodes[0]: 3 is not an object: ${GIVE_NODES}`],
    [
      { movesWithin: Duration.seconds(3) },
      'movesWithin has no effect without fail: name a node, such as fail: "node-1"',
    ],
    [{ fail: "node-1", movesWithin: 5 }, "movesWithin: 5 is not a Duration: write Duration.seconds(5)"],
    [{ cloudTakes: "2s" }, 'cloudTakes: "2s" is not a Duration: write Duration.seconds(3)'],
    [{ fail: 1 }, "fail: 1 is not the name of a node"],
  ];
  for (const [options, says] of misspelt) {
    it(`rejects ${JSON.stringify(options)}`, async () => {
      expect(await simulate(webApp(), options as SimulateOptions).catch(String)).to.equal(`Error: ${says}`);
    });
  }

  it("rejects what is not an app, and options that are no object", async () => {
    const none = "is not an app: give a cdk8s App or Chart, or a list of the objects of manifests";
    for (const value of [null, undefined, "app", {}, [null]]) {
      const rejected = await simulate(value as unknown as App).catch(String);
      expect(rejected).to.equal(`Error: ${JSON.stringify(value) ?? "undefined"} ${none}`);
    }
    const fail = webApp() as unknown as string;
    expect(await simulate(webApp(), { fail }).catch(String)).to.match(/^Error: fail: an object is not /);
    const rejected = await simulate(webApp(), null as unknown as SimulateOptions).catch(String);
    expect(rejected).to.equal('Error: null are not options: give an object such as { fail: "node-1" }');
  });

  it("plays a RoutedIP whose Service and token are outside of the app", async () => {
    const app = new App();
    const chart = new Chart(app, "voice", { namespace: "voice" });
    const issuer = new RoutedIPIssuer(chart, "issuer", {
      region: "nyc3",
      credentials: Credentials.fromSecretName("digitalocean", "token"),
    });
    new RoutedIP(chart, "address", {
      metadata: { name: "gateway" },
      implementation: RoutedIPImplementation.issuer(issuer),
      service: ServiceRef.fromServiceName("gateway"),
    });
    const { moves } = await simulate(app, { fail: "holder of voice/gateway", movesWithin: Duration.seconds(60) });
    expect(moves).to.have.length(1);
  });

  it("ends when all is as the app wants it if no node fails", async () => {
    const { moves, holders } = await simulate(webApp());
    expect(moves).to.deep.equal([]);
    expect([...holders.values()].sort()).to.deep.equal(["node-1", "node-2"]);
  });

  it("throws the error of a synthesis that fails", async () => {
    const app = new App();
    new FloatingIPPool(new Chart(app, "bad"), "pool", { ips: ["x"] });
    expect(await simulate(app).catch(String)).to.include("[bad/pool] ips[0]");
  });
});
