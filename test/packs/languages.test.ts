import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { CONSTRUCTS, ROOT } from "../../tools/packs/paths.js";
import { installPythonPack, runGo, runJava, runPython } from "../../tools/packs/run-apps.js";
import type { Language } from "../../tools/packs/toolchains.js";
import { type ManifestObject, type Manifests, objectsOf, synthExample } from "../support/examples.js";
import { manifestsOf, packOrSkip } from "../support/packs.js";

const PYTHON = join(ROOT, "examples/python");
const APPS_OF_TESTS = join(import.meta.dirname, "apps");

/** The example with all parts: an operator that serves others, grants, changes, and a warning that the app prints. */
const WHOLE = "platform-and-team";
const WARNING =
  "web/pool: desiredIps: with this resource, the app needs 4 addresses, but a DigitalOcean account may have 3 by default: ask DigitalOcean for a higher limit";

/** Apps in other languages, each with an equivalent TypeScript app. */
const APPS: readonly AppOfLanguage[] = [
  { language: "go", twin: "node-records-cloudflare", run: runGo },
  { language: "go", twin: WHOLE, run: (outdir) => runGo(outdir, "platform") },
  {
    language: "python",
    twin: "node-records-cloudflare",
    run: (outdir) => runPython(join(PYTHON, "node_records_cloudflare.py"), outdir),
  },
  {
    language: "python",
    twin: "ingress-reserved-ips",
    run: (outdir) => runPython(join(PYTHON, "ingress_reserved_ips.py"), outdir),
  },
  { language: "python", twin: WHOLE, run: (outdir) => runPython(join(PYTHON, "platform_and_team.py"), outdir) },
  { language: "java", twin: "node-records-cloudflare", run: runJava },
  { language: "java", twin: WHOLE, run: (outdir) => runJava(outdir, "PlatformAndTeam") },
];

interface AppOfLanguage {
  readonly language: Language;
  readonly twin: string;
  /** Returns the app's output. */
  readonly run: (outdir: string) => string;
}

const twins = new Map<string, Promise<Manifests>>();

for (const { language, twin, run } of APPS) {
  describe(`the library packed for ${language}`, () => {
    before(function () {
      packOrSkip(this, language);
      if (language === "python") installPythonPack();
    });

    it(`runs the equivalent of ${twin}.ts, with byte-identical output`, async () => {
      const expected = twins.get(twin) ?? synthExample(twin);
      twins.set(twin, expected);
      let output = "";
      const manifests = manifestsOf((outdir) => {
        output = run(outdir);
      });
      expect([...manifests]).to.deep.equal([...(await expected)]);
      expect(output.trim()).to.equal(twin === WHOLE ? WARNING : "");
    }).timeout(300_000);
  });
}

describe("the Python library", () => {
  before(function () {
    packOrSkip(this, "python");
    installPythonPack();
  });

  it("has no name with a split abbreviation, such as desired_i_ps", () => {
    expect(runPython(join(APPS_OF_TESTS, "names.py"), tmpdir())).to.equal("");
  }).timeout(60_000);
});

describe("mistakes in Python", () => {
  const expected = JSON.parse(readFileSync(join(APPS_OF_TESTS, "mistakes.json"), "utf8")) as Lines;
  let found: Lines;

  before(function () {
    packOrSkip(this, "python");
    installPythonPack();
    found = JSON.parse(runPython(join(APPS_OF_TESTS, "mistakes.py"), tmpdir())) as Lines;
  });

  for (const [title, lines] of Object.entries(expected)) {
    it(`are refused: ${title}`, () => expect(found[title]).to.deep.equal(lines));
  }

  it("are all in the list", () => {
    expect(Object.keys(found)).to.deep.equal(Object.keys(expected));
    expect(Object.keys(expected)).to.have.length.above(30);
    // The library refuses these at synthesis; Python and jsii refuse the others in the call.
    const atSynthesis = Object.values(expected).filter(([line = ""]) => line.startsWith("["));
    expect(atSynthesis).to.have.length.above(25);
  });
});

/** The lines of each error, by the title of the mistake. */
type Lines = Readonly<Record<string, readonly string[]>>;

describe("objects of cdk8s-plus as inputs, in Python", () => {
  let manifests: Manifests;

  before(function () {
    packOrSkip(this, "python");
    installPythonPack();
    manifests = manifestsOf((outdir) => runPython(join(APPS_OF_TESTS, "workloads.py"), outdir));
  });

  for (const library of ["plus-28", "plus-37", "plain"]) {
    it(`work when they are ${library}`, () => {
      const text = manifests.get(`${library}.k8s.yaml`) ?? "";
      const specs = objectsOf(new Map([[library, text]])).map(({ kind, spec }) => [kind, spec]);
      expect(specs).to.deep.include.members([
        ["FloatingIPPool", { provider: "digitalocean", ips: ["192.0.2.10"], match: match(library) }],
        ["RoutedIPIssuer", { provider: "digitalocean", credentialsSecretRef: { name: "digitalocean", key: "token" } }],
        ["RoutedIP", { issuerRef: { name: "issuer" }, routedIP: "192.0.2.20", serviceRef: { serviceName: "web" } }],
      ]);
    });
  }
});

function match(namespace: string): object {
  return { podLabel: "app=web", podNamespace: namespace };
}

describe("the blocks of Python in the library's README", () => {
  const README = readFileSync(join(CONSTRUCTS, "README.md"), "utf8");
  const blocks = [...README.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = ""]) => code);

  before(function () {
    packOrSkip(this, "python");
    installPythonPack();
  });

  for (const [index, code] of blocks.entries()) {
    it(`synthesise: block ${index + 1} of ${blocks.length}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "flipop-readme-"));
      try {
        writeFileSync(join(folder, "main.py"), code);
        const objects = objectsOf(manifestsOf((outdir) => runPython(join(folder, "main.py"), outdir)));
        expect(objects.map(({ kind }) => kind)).to.include("FloatingIPPool");
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

describe("other libraries in Python", () => {
  let found: readonly ManifestObject[];

  before(function () {
    packOrSkip(this, "python");
    installPythonPack();
    found = objectsOf(manifestsOf((outdir) => runPython(join(APPS_OF_TESTS, "ecosystem.py"), outdir)));
  });

  const only = (kind: string, suffix = ""): ManifestObject & Readonly<Record<string, unknown>> => {
    const [object, ...others] = found.filter((one) => one.kind === kind && one.metadata.name.includes(suffix));
    if (!object || others.length > 0) throw new Error(`not exactly one ${kind} ${suffix}`);
    return object as ManifestObject & Readonly<Record<string, unknown>>;
  };

  it("give values through a resolver, also inside of a selector", () => {
    const match = { nodeLabel: "pool=edge" };
    expect(only("FloatingIPPool").spec).to.deep.equal({ provider: "digitalocean", ips: ["8.8.8.8", "8.8.4.4"], match });
  });

  it("take resources in rules, and give subjects", () => {
    const rule = { apiGroups: ["flipop.digitalocean.com"], resources: ["floatingippools"] };
    const verbs = ["get", "list", "watch"];
    expect(only("Role", "web-role")["rules"]).to.deep.equal([
      { ...rule, resourceNames: ["web"], verbs },
      { ...rule, resourceNames: ["mail"], verbs },
    ]);
    expect(only("RoleBinding", "web-pool-manage")["subjects"]).to.deep.equal([
      { kind: "ServiceAccount", name: "deployer", namespace: "web" },
    ]);
  });

  it("give Jobs and quantities", () => {
    expect(found.filter(({ kind }) => kind === "Job")).to.deep.equal([]);
    expect(only("ClusterRoutedIPClass").spec).to.deep.include({ allowedNamespaces: ["web", "mail"] });
    const text = JSON.stringify(only("Deployment").spec);
    expect(text).to.include('"cpu":"100m"').and.include('"memory":"1Gi"').and.include("--watch-namespaces=dns,web");
    expect(text).to.include("--features=pools,dns,routedip,jobs").and.include("CLOUDFLARE_TOKEN_FILE");
  });
});
