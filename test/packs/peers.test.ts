import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { OLDEST_PEERS, VERSIONS } from "../../projenrc/versions.js";
import { packedFile } from "../../tools/packs/pack.js";
import { ROOT } from "../../tools/packs/paths.js";
import { run, works } from "../../tools/packs/run-command.js";
import {
  expected,
  type Installation,
  install,
  type Peers,
  passes,
  releases,
  synthesise,
} from "../../tools/peers/oldest-peers.js";
import { packOrSkip } from "../support/packs.js";

const INSTALL_MS = 120_000;
/** The newest cdk8s-plus that we know of. */
const NEWEST_PLUS = "cdk8s-plus-37";

const COMPILER = { noEmit: true, strict: true, skipLibCheck: true, module: "node16", target: "es2022", types: [] };

/** What a user's project needs of the library's types. */
const TYPED_APP = `
import { App, Chart, Duration } from "cdk8s";
import { FloatingIPPool, PodMatch } from "cdk8s-flipop";
import { FlipopAssertions } from "cdk8s-flipop/testing";
const app = new App();
const pool = new FloatingIPPool(new Chart(app, "web"), "pool", {
  ips: ["192.0.2.1"],
  pods: PodMatch.labels({ app: "web" }),
  gracePeriod: Duration.seconds(30),
});
pool.metadata.addLabel("team", "edge");
FlipopAssertions.of(app).hasPool(pool.name, { ips: ["192.0.2.1"] });
`;

/** An app with workloads of two versions of cdk8s-plus. */
function plusApp(newest: string): string {
  return `
const { App, Chart } = require("cdk8s");
const { FloatingIPPool, PodMatch } = require("cdk8s-flipop");
const app = new App();
for (const name of ["cdk8s-plus-28", "${newest}"]) {
  const kplus = require(name);
  const chart = new Chart(app, name);
  const set = new kplus.DaemonSet(chart, "set", { containers: [{ image: "nginx:1.29", portNumber: 80 }] });
  new FloatingIPPool(chart, "pool", { metadata: { name }, cluster: name, region: "nyc3", desiredIps: 1, pods: PodMatch.of(set) });
}
app.synth();
`;
}

describe("the versions of the library's peers", () => {
  const installed: Installation[] = [];
  let tarball: string;
  let wanted: ReadonlyMap<string, string>;

  before(function () {
    this.timeout(INSTALL_MS);
    if (!works("npm", ["view", "constructs", "version", "--fetch-timeout=10000", "--fetch-retries=0"])) {
      console.log("SKIPPED, the registry does not answer: needs a network");
      this.skip();
    }
    packOrSkip(this, "js");
    tarball = packedFile("js", ".tgz");
    wanted = expected();
  });
  after(() => {
    for (const { remove } of installed) remove();
  });

  /** An installation in which npm accepted the declared ranges. */
  function installation(peers: Peers): Installation {
    const made = install(tarball, peers, true);
    installed.push(made);
    return made;
  }

  const newest = () => ({
    cdk8s: releases("cdk8s", 2).at(-1) ?? VERSIONS.cdk8s,
    constructs: releases("constructs", 10).at(-1) ?? VERSIONS.constructs,
  });

  it("may be the oldest that the library declares: the same manifests, and types that compile", () => {
    const made = installation(OLDEST_PEERS);
    expect(synthesise(made)).to.deep.equal(wanted);
    writeFileSync(join(made.folder, "main.ts"), TYPED_APP);
    writeFileSync(
      join(made.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: COMPILER, files: ["main.ts"] }),
    );
    run(join(ROOT, "node_modules/.bin/tsc"), ["-p", made.folder]);
  }).timeout(INSTALL_MS);

  it("may be the newest of the registry", () => {
    expect(synthesise(installation(newest()))).to.deep.equal(wanted);
  }).timeout(INSTALL_MS);

  it("may come with the newest cdk8s-plus beside the oldest", () => {
    const has = works("npm", ["view", NEWEST_PLUS, "version", "--fetch-retries=0"]);
    const name = has ? NEWEST_PLUS : "cdk8s-plus-34";
    if (!has) console.log(`the registry has no ${NEWEST_PLUS}: this test uses ${name}`);
    const others = { "cdk8s-plus-28": VERSIONS.cdk8sPlus, [name]: has ? "latest" : VERSIONS.cdk8sPlusNewest };
    const folder = mkdtempSync(join(tmpdir(), "flipop-plus-"));
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "plus.cjs"), plusApp(name));
      const files = synthesise(installation({ ...newest(), others }), join(folder, "plus.cjs"));
      expect([...files.keys()]).to.deep.equal(["cdk8s-plus-28.k8s.yaml", `${name}.k8s.yaml`]);
      for (const text of files.values()) expect(text).to.match(/podLabel: cdk8s.io\/metadata.addr=/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }).timeout(INSTALL_MS);

  it("are declared as wide as works: the release of cdk8s before the oldest fails; npm run peers searches all", () => {
    const all = releases("cdk8s", 2);
    const before = all[all.indexOf(OLDEST_PEERS.cdk8s) - 1];
    expect(before).to.be.a("string");
    expect(passes(tarball, { cdk8s: before ?? "", constructs: VERSIONS.constructs }, wanted)).to.equal(false);
    expect(releases("constructs", 10)[0]).to.equal(OLDEST_PEERS.constructs);
  }).timeout(INSTALL_MS);
});
