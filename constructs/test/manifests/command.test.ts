import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RELEASE } from "../../src/api";
import { main } from "../../src/cli/main";

const POOL = `apiVersion: flipop.digitalocean.com/v1alpha1
kind: FloatingIPPool
metadata: { name: web, namespace: ingress }
spec: { provider: digitalocean, ips: [45.55.96.1], gracePeriodSeconds: 90, match: { podLabel: app=web } }
`;
const SECRET =
  "apiVersion: v1\nkind: Secret\nmetadata: { name: token, namespace: ingress }\nstringData: { token: abc }\n";
const OWN_CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: floatingippools.flipop.digitalocean.com }
spec: { group: flipop.digitalocean.com }
`;

const TYPESCRIPT = `import { App, Chart, Duration } from "cdk8s";
import { FloatingIPPool, PodMatch } from "cdk8s-flipop";

const app = new App();
const ingressChart = new Chart(app, "ingress", { namespace: "ingress" });

new FloatingIPPool(ingressChart, "web", {
  metadata: { name: "web" },
  ips: ["45.55.96.1"],
  pods: PodMatch.labels({ app: "web" }),
  gracePeriod: Duration.seconds(90),
});

app.synth();
`;
const PYTHON = `from cdk8s import App, Chart, Duration
from cdk8s_flipop import FloatingIPPool, PodMatch

app = App()
ingress_chart = Chart(app, "ingress", namespace="ingress")

FloatingIPPool(
    ingress_chart,
    "web",
    metadata={"name": "web"},
    ips=["45.55.96.1"],
    pods=PodMatch.labels({"app": "web"}),
    grace_period=Duration.seconds(90),
)

app.synth()
`;

describe("the command cdk8s-flipop", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "flipop-command-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  function run(args: readonly string[], stdin = "") {
    const [out, err]: [string[], string[]] = [[], []];
    const code = main(args, { out: (text) => out.push(text), err: (text) => err.push(text), stdin: () => stdin });
    return { code, out: out.join(""), err: err.join("") };
  }

  it("validates files, folders and the standard input", () => {
    const path = file("pool.yaml", POOL);
    expect(run(["validate", path])).to.deep.equal({ code: 0, out: "1 object, 0 problems\n", err: "" });
    expect(run(["validate", folder]).out).to.equal("1 object, 0 problems\n");
    expect(run(["validate", "-"], POOL.replace("45.55.96.1", "192.0.2"))).to.deep.equal({
      code: 1,
      out: 'standard input:4: FloatingIPPool ingress/web: spec.ips[0]: "192.0.2" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length\n1 object, 1 problem\n',
      err: "",
    });
  });

  it("prints warnings, which are no problems", () => {
    expect(run(["validate", "-"], POOL.replace("45.55.96.1", "192.0.2.1"))).to.deep.equal({
      code: 0,
      out: 'standard input:4: warning: FloatingIPPool ingress/web: spec.ips[0]: "192.0.2.1" is not a public address (192.0.2.0/24 is for documentation), so no provider has it: list a reserved IP of the account\n1 object, 0 problems\n',
      err: "",
    });
  });

  it("imports as TypeScript and Python", () => {
    const path = file("pool.yaml", POOL);
    expect(run(["import", path])).to.deep.equal({ code: 0, out: TYPESCRIPT, err: "" });
    expect(run(["import", "--language", "python", path])).to.deep.equal({ code: 0, out: PYTHON, err: "" });
  });

  it("leaves out Secrets and the CRDs, and says so on the standard error output", () => {
    const path = file("all.yaml", [POOL, SECRET, OWN_CRD].join("---\n"));
    expect(run(["import", path])).to.deep.equal({
      code: 0,
      out: TYPESCRIPT,
      err: [
        `${path}:6: Secret ingress/token is left out: code must not contain secrets; create it by other means\n`,
        `${path}:11: CustomResourceDefinition floatingippools.flipop.digitalocean.com is left out: FlipopCrds defines it; add that construct to another chart\n`,
      ].join(""),
    });
  });

  it("writes an object that no construct accepts as a plain one, and gives the reason", () => {
    const path = file("pool.yaml", POOL.replace("[45.55.96.1]", "[45.55.96.1, 45.55.96.1]"));
    const { code, out, err } = run(["import", path]);
    expect(code).to.equal(0);
    expect(out).to.include(
      '// No construct, because of this problem: ips[1]: "45.55.96.1" is listed twice: remove one\nnew ApiObject(',
    );
    expect(err).to.include(
      "FloatingIPPool ingress/web becomes a plain ApiObject, because no construct writes it: ips[1]",
    );
  });

  it("leaves out an object with an API token", () => {
    const token = `dop_v1_${"0123456789abcdef".repeat(4)}`;
    const { out, err } = run(["import", "-"], POOL.replace("app=web", token));
    expect(`${out}${err}`).not.to.include(token);
    expect(err).to.include("is left out: it contains an API token; put the token into a Secret");
  });

  it("prints its help and version", () => {
    expect(run(["--version"]).out).to.equal(`${RELEASE}\n`);
    for (const args of [[], ["--help"], ["help"]]) expect(run(args)).to.include({ code: 0, err: "" });
    expect(run([]).out).to.include("cdk8s-flipop validate FILE...");
  });

  const misuses: readonly (readonly [args: readonly string[], says: string])[] = [
    [["check", "a"], '"check" is not a command: use validate or import'],
    [["validate"], "no file is given: name one, or - for the standard input"],
    [["validate", "/no/such"], "/no/such does not exist: correct the path"],
    [["import", "--language", "perl", "-"], '--language: "perl" is not supported: use typescript or python'],
    [["validate", "--language", "python", "-"], "--language belongs to import: remove it"],
    [["validate", "--strict", "-"], "Unknown option '--strict'"],
  ];
  for (const [args, says] of misuses) {
    it(`refuses ${args.join(" ")}`, () => {
      const { code, err } = run(args);
      expect(code).to.equal(2);
      expect(err).to.include(says);
    });
  }

  it("refuses a folder without manifests, and imports nothing from text that is not YAML", () => {
    expect(run(["validate", folder]).err).to.include("contains no .yaml, .yml or .json file: name a file");
    expect(run(["import", "-"], "a: {{- if .b }}\nc: d\n")).to.include({ code: 1, out: "" });
  });
});
