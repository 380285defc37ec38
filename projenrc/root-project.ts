import { javascript, TextFile } from "projen";
import { COMMIT_TYPES } from "./commit-types.js";
import { addLaunchConfiguration } from "./editor.js";
import { Formatting } from "./formatting.js";
import { GitHubFiles, PULL_REQUEST } from "./github-files.js";
import { MochaConfig } from "./mocha.js";
import { ProjenrcTsx } from "./projenrc-tsx.js";
import { RootTasks } from "./root-tasks.js";
import { RootTsconfig } from "./root-tsconfig.js";
import { SHARED_OPTIONS } from "./shared-options.js";
import { MIN_NODE, RELEASE, VERSIONS } from "./versions.js";
import { Workspaces } from "./workspaces.js";

/** Only the root has files for GitHub, because GitHub reads them only there. */
const GITHUB = {
  github: true,
  githubOptions: {
    mergify: false,
    pullRequestLintOptions: { semanticTitleOptions: { types: COMMIT_TYPES } },
  },
  pullRequestTemplate: true,
  pullRequestTemplateContents: PULL_REQUEST,
};

/** The root of the repo: tools, examples and tasks. It is never published. */
export class RootProject extends javascript.NodeProject {
  private readonly workspaces: Workspaces;

  constructor() {
    super({
      ...SHARED_OPTIONS,
      ...GITHUB,
      name: "flipop",
      description: "Stable public addresses for Kubernetes nodes: operator and cdk8s construct library",
      projenrcJs: false,
      package: false,
      npmignoreEnabled: false,
      projenDevDependency: true,
      gitignore: [
        "/dist/",
        "/examples/java/target/",
        ".venv/",
        "/.ci/results/",
        "/.ci/logs/",
        "coverage/",
        ".c8/",
        "*.tgz",
        ".DS_Store",
        ".env",
      ],
      devDeps: rootDevDeps(),
    });
    this.package.addField("private", true);
    this.package.addField("type", "module");
    this.package.addVersion(RELEASE);
    const npmrc = new javascript.NpmConfig(this);
    // Lock files carry no download addresses: an install works behind any mirror.
    npmrc.addConfig("omit-lockfile-registry-resolved", "true");
    npmrc.addConfig("fund", "false");
    new TextFile(this, ".nvmrc", { lines: [MIN_NODE] });
    new ProjenrcTsx(this);
    new Formatting(this);
    addLaunchConfiguration(this);
    if (this.github) new GitHubFiles(this, this.github);
    new RootTsconfig(this);
    this.workspaces = new Workspaces(this);
    new RootTasks(this);
    new MochaConfig(this, "./.ci");
  }

  /** Adds a workspace; the order of the calls is the order of the builds. */
  addWorkspace(project: javascript.NodeProject): void {
    this.workspaces.add(project);
  }
}

function rootDevDeps(): string[] {
  return [
    `@biomejs/biome@${VERSIONS.biome}`,
    `@types/chai@${VERSIONS.typesChai}`,
    `@types/mocha@${VERSIONS.typesMocha}`,
    `@types/node@${VERSIONS.typesNode}`,
    `c8@${VERSIONS.c8}`,
    `cdk8s@${VERSIONS.cdk8s}`,
    `cdk8s-cli@${VERSIONS.cdk8sCli}`,
    `cdk8s-plus-28@${VERSIONS.cdk8sPlus}`,
    `chai@${VERSIONS.chai}`,
    `constructs@${VERSIONS.constructs}`,
    `fast-check@${VERSIONS.fastCheck}`,
    `yaml@${VERSIONS.yaml}`,
    `eslint@${VERSIONS.eslint}`,
    `mocha@${VERSIONS.mocha}`,
    `tsx@${VERSIONS.tsx}`,
    `typescript@${VERSIONS.typescript}`,
    `typescript-eslint@${VERSIONS.typescriptEslint}`,
  ];
}
