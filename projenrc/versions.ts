/** All pinned versions of the repo. docs/adr/0002-repo-layout.md gives the reason for each. */
export const VERSIONS = {
  projen: "0.103.25",
  typescript: "~6.0.3",
  tsx: "4.23.15",
  jsii: "~6.0.16",
  jsiiDiff: "1.134.0",
  jsiiDocgen: "10.12.6",
  jsiiPacmak: "1.140.0",
  cdk8s: "2.70.106",
  cdk8sCli: "2.207.60",
  cdk8sPlus: "2.5.6",
  cdk8sPlusNewest: "2.0.54",
  constructs: "10.8.1",
  biome: "2.5.15",
  eslint: "10.15.0",
  typescriptEslint: "8.73.0",
  mocha: "12.0.3",
  chai: "6.3.0",
  typesChai: "5.2.3",
  typesMocha: "10.0.10",
  typesNode: "20.19.43",
  c8: "12.0.0",
  fastCheck: "4.10.2",
  yaml: "2.9.1",
  undici: "7.30.2",
  pino: "10.4.0",
  pinoPretty: "13.2.0",
  promClient: "15.1.3",
  commander: "14.0.3",
  kubernetesClient: "1.4.0",
  cel: "0.6.1",
  esbuild: "0.28.2",
  cloudflare: "7.3.0",
  gitCliff: "2.14.2",
  publib: "0.2.1061",
  jscpd: "4.0.9",
  ajv: "8.20.0",
  ajvFormats: "3.0.1",
} as const;

/**
 * The oldest releases of the library's peers with which it writes the same manifests: `npm run peers` finds them.
 * jsii compiles against the newest ones.
 */
export const OLDEST_PEERS = { cdk8s: "2.7.75", constructs: "10.0.0" } as const;

/** Oldest Node release that the whole repo supports. */
export const MIN_NODE = "20.19.0";

/** The release of Node in the image. The digests of its archives are in tools/image/pinned-packages.ts. */
export const IMAGE_NODE = "24.21.0";

/** Newer releases of Node on which unit tests also run (`npm run test:nodes`): all on the image's, those of the construct library on the others. */
export const NEWER_NODES = ["22.23.3", IMAGE_NODE] as const;

/** Version of all packages and of the image, which are released together. */
export const RELEASE = "0.2.0";

export const REPOSITORY = "https://github.com/flipop/flipop.git";

/** The reviewers of pull requests, as in CODEOWNERS. */
export const OWNERS = "@flipop/maintainers";

export const AUTHOR = { name: "The flipop authors", email: "maintainers@flipop.dev" } as const;
