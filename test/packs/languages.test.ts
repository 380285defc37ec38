import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { before, describe, it } from "mocha";
import { installPythonPack, runGo, runJava, runPython } from "../../tools/packs/apps.js";
import { ROOT } from "../../tools/packs/paths.js";
import type { Language } from "../../tools/packs/toolchains.js";
import { type Manifests, objectsOf, synthExample } from "../support/examples.js";
import { manifestsOf, packOrSkip } from "../support/packs.js";

const PYTHON = join(ROOT, "examples/python");
const APPS_OF_TESTS = join(import.meta.dirname, "apps");

/** Apps in other languages, each with an equivalent TypeScript app. */
const APPS: readonly { readonly language: Language; readonly twin: string; readonly run: (outdir: string) => void }[] =
  [
    { language: "go", twin: "node-records-cloudflare", run: runGo },
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
    { language: "java", twin: "node-records-cloudflare", run: runJava },
  ];

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
      expect([...manifestsOf(run)]).to.deep.equal([...(await expected)]);
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

describe("mistakes that Python itself accepts", () => {
  const expected = JSON.parse(readFileSync(join(APPS_OF_TESTS, "mistakes.json"), "utf8")) as Lines;
  let found: Lines;

  before(function () {
    packOrSkip(this, "python");
    installPythonPack();
    found = JSON.parse(runPython(join(APPS_OF_TESTS, "mistakes.py"), tmpdir())) as Lines;
  });

  for (const [title, lines] of Object.entries(expected)) {
    it(`are refused with path, value and fix: ${title}`, () => expect(found[title]).to.deep.equal(lines));
  }

  it("are all in the list", () => {
    expect(Object.keys(found)).to.deep.equal(Object.keys(expected));
    expect(Object.keys(expected).length).to.be.above(20);
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

  for (const library of ["plus-28", "plus-34", "plain"]) {
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
