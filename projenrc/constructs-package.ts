import { cdk, javascript, type Project, TextFile } from "projen";
import { Mocha } from "./mocha.js";
import { SHARED_OPTIONS, STRICT, TEST_DEPS } from "./shared-options.js";
import { AUTHOR, OLDEST_PEERS, RELEASE, REPOSITORY, VERSIONS } from "./versions.js";

/** `cdk8s-flipop`: the construct library in four languages, and the type model that the operator shares. */
export class ConstructsPackage extends cdk.JsiiProject {
  constructor(parent: Project) {
    super({ ...SHARED_OPTIONS, ...FACTS, ...COMPILER, ...DEPENDENCIES, ...REGISTRIES, parent });
    this.package.addVersion(RELEASE);
    // These come after projen's own, which have no version.
    this.addDevDeps(`jsii-diff@${VERSIONS.jsiiDiff}`, `jsii-pacmak@${VERSIONS.jsiiPacmak}`);
    // jsii prints a banner on Node 20, which is past its end of life but still supported by the library.
    this.tasks.addEnvironment("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20");
    // The library is compiled against the newest peers; `npm run peers` finds the oldest with which it works.
    this.compileTask.reset("jsii --silence-warnings=reserved-word --silence-warnings=metadata/missing-dev-dependency");
    this.package.addField("exports", EXPORTS);
    // For `moduleResolution: node10`, which does not read "exports".
    this.package.addField("typesVersions", {
      "*": { api: ["./lib/api/index.d.ts"], testing: ["./lib/testing/index.d.ts"] },
    });
    this.package.addBin({ "cdk8s-flipop": "bin/cdk8s-flipop" });
    new TextFile(this, "src/api/release.ts", { lines: RELEASE_FILE });
    // projen's check uses the registry; flipop's check compares with constructs/baseline (tools/library).
    this.removeTask("compat");
    // Pages of the packages, made when they are packed.
    this.gitignore.exclude("/API.python.md", "/API.java.md", "/API.go.md");
    // The baseline of comparisons for later versions; jsii's own output of that name is ignored.
    this.gitignore.include("/baseline/.jsii");
    this.gitattributes.addAttributes("/API.md", "linguist-generated");
    this.gitattributes.addAttributes("/baseline/**", "linguist-generated");
    new Mocha(this, { minLines: 90 });
  }
}

const WEB = REPOSITORY.replace(/\.git$/, "");

const FACTS = {
  outdir: "constructs",
  name: "cdk8s-flipop",
  description: "cdk8s constructs for flipop: stable public addresses, DNS records and firewalls for Kubernetes nodes",
  author: AUTHOR.name,
  authorAddress: AUTHOR.email,
  repositoryUrl: REPOSITORY,
  repositoryDirectory: "constructs",
  homepage: `${WEB}#readme`,
  bugsUrl: `${WEB}/issues`,
  keywords: ["cdk8s", "kubernetes", "floating-ip", "reserved-ip", "digitalocean", "cloudflare", "dns", "operator"],
  projenDevDependency: false,
  docgen: false,
  npmIgnoreOptions: {
    ignorePatterns: ["/test/", "/coverage/", "/.mocharc.json", "/.c8rc.json", "/baseline/"],
  },
};

/** Compiler options in addition to jsii's rule set. */
const STRICTER_THAN_JSII = {
  noUncheckedIndexedAccess: STRICT.noUncheckedIndexedAccess,
  exactOptionalPropertyTypes: STRICT.exactOptionalPropertyTypes,
  noImplicitOverride: STRICT.noImplicitOverride,
};

const COMPILER = {
  jsiiVersion: VERSIONS.jsii,
  typescriptVersion: VERSIONS.typescript,
  // jsii's "strict" set rejects even stricter options.
  validateTsconfig: cdk.ValidateTsconfig.MINIMAL,
  // Inline source maps would double the size of the package.
  tsconfig: { compilerOptions: { ...STRICTER_THAN_JSII, inlineSourceMap: false, inlineSources: false } },
  // Tests run under tsx, in which CommonJS can import ES modules such as chai; the compiler's node16 rejects that.
  tsconfigDev: {
    compilerOptions: {
      ...STRICTER_THAN_JSII,
      module: "preserve",
      moduleResolution: javascript.TypeScriptModuleResolution.BUNDLER,
      types: ["node", "mocha"],
    },
  },
};

const DEPENDENCIES = {
  // No cdk8s-plus: any version works as input, and the library uses none.
  peerDeps: [`cdk8s@^${OLDEST_PEERS.cdk8s}`, `constructs@^${OLDEST_PEERS.constructs}`],
  peerDependencyOptions: { pinnedDevDependency: false },
  devDeps: [
    ...TEST_DEPS,
    `fast-check@${VERSIONS.fastCheck}`,
    `cdk8s@${VERSIONS.cdk8s}`,
    // Snippets and examples use it, and the tests use it as input:
    `cdk8s-plus-28@${VERSIONS.cdk8sPlus}`,
    // The newest cdk8s-plus: its objects must also work as inputs.
    `cdk8s-plus-34@${VERSIONS.cdk8sPlusNewest}`,
    `constructs@${VERSIONS.constructs}`,
    `flipop-testbed@${RELEASE}`,
    `jsii-docgen@${VERSIONS.jsiiDocgen}`,
    `yaml@${VERSIONS.yaml}`,
  ],
};

const REGISTRIES = {
  publishToPypi: { distName: "cdk8s-flipop", module: "cdk8s_flipop" },
  publishToMaven: {
    javaPackage: "io.github.flipop.cdk8s",
    mavenGroupId: "io.github.flipop",
    mavenArtifactId: "cdk8s-flipop",
  },
  publishToGo: { moduleName: "github.com/flipop/cdk8s-flipop-go", packageName: "cdk8sflipop" },
};

const EXPORTS = {
  ".": { types: "./lib/index.d.ts", default: "./lib/index.js" },
  "./api": { types: "./lib/api/index.d.ts", default: "./lib/api/index.js" },
  "./testing": { types: "./lib/testing/index.d.ts", default: "./lib/testing/index.js" },
  "./.jsii": "./.jsii",
  "./package.json": "./package.json",
};

const RELEASE_FILE = [
  "/** Version of all packages and of the image, which are released together. */",
  `export const RELEASE = "${RELEASE}";`,
  "",
];
