import { Component, github, type javascript, TextFile, YamlFile } from "projen";
import { JobPermission } from "projen/lib/github/workflows-model.js";
import { AUTHOR, MIN_NODE, OWNERS, VERSIONS } from "./versions.js";

const { READ, WRITE } = JobPermission;

/** Tools that the jobs install before they run a script. */
interface Setup {
  /** Java, Python and Go, for the packs of the construct library and the control plane. */
  readonly languages?: boolean;
  /** Every commit, for the checks of messages and the changelog. */
  readonly history?: boolean;
}

/** The files that GitHub reads: workflows, forms of issues, owners. */
export class GitHubFiles extends Component {
  constructor(
    private readonly root: javascript.NodeProject,
    private readonly hub: github.GitHub,
  ) {
    super(root);
    this.build();
    this.release();
    this.upgrade();
    new TextFile(root, ".github/CODEOWNERS", { marker: true, lines: [`* ${OWNERS}`] });
    this.issueForms();
  }

  private build(): void {
    const workflow = new github.GithubWorkflow(this.hub, "build", { limitConcurrency: true });
    workflow.on({ pullRequest: {}, push: { branches: ["main"] } });
    workflow.addJobs({
      check: this.job(15, {}, [{ name: "Lint, types, fast tests", run: "npm run check" }]),
      commits: {
        ...this.job(5, { history: true }, [
          { name: "Commit messages", run: `npm run commits -- "origin/\${{ github.base_ref }}"` },
        ]),
        if: "github.event_name == 'pull_request'",
      },
      // The suite of two releases builds the previous one from the history.
      everything: this.job(60, { languages: true, history: true }, [{ name: "Every suite", run: "bash .ci/run" }]),
    });
  }

  /**
   * A tag `v1.2.3` becomes a release with the packs, the chart, the manifests and the image. The construct library goes
   * to the registries of its four languages, and the sandbox to npm. The job can run again after a failed
   * upload: GitHub, npm and PyPI keep a version that they have.
   */
  private release(): void {
    const workflow = new github.GithubWorkflow(this.hub, "release");
    workflow.on({ push: { tags: ["v*"] } });
    const job = this.job(60, { languages: true, history: true }, [
      {
        name: "The tag is the version",
        run: `test "$GITHUB_REF_NAME" = "v$(node -p 'require("./package.json").version')"`,
      },
      { name: "Lint, types, fast tests", run: "npm run check" },
      { name: "Packs", run: "npm run packs" },
      { name: "Manifests and chart", run: "npm run synth" },
      { name: "Image", run: "npm run image" },
      {
        name: "Push the image",
        run: [
          `echo "$TOKEN" | skopeo login ghcr.io --username "$GITHUB_ACTOR" --password-stdin`,
          `skopeo copy --all oci:operator/dist/image/oci "docker://ghcr.io/$GITHUB_REPOSITORY:\${GITHUB_REF_NAME#v}"`,
        ].join("\n"),
        env: { TOKEN },
      },
      { name: "Notes", run: "npm run --silent changelog -- --section > notes.md" },
      {
        name: "GitHub release",
        run: `tar -czf dist/manifests.tgz -C dist --exclude=manifests.tgz . && gh release view "$GITHUB_REF_NAME" || gh release create "$GITHUB_REF_NAME" --notes-file notes.md dist/manifests.tgz operator/dist/flipop.mjs $(find constructs/dist sandbox/dist/npm -type f -name '*.tgz' -o -type f -name '*.whl')`,
        env: { GH_TOKEN: TOKEN },
      },
      ...REGISTRIES.map(publish),
    ]);
    workflow.addJob("release", { ...job, permissions: { contents: WRITE, packages: WRITE } });
  }

  /** A pull request each month. All versions are pinned in projenrc/versions.ts, which projen's own upgrade cannot change. */
  private upgrade(): void {
    const workflow = new github.GithubWorkflow(this.hub, "upgrade");
    workflow.on({ workflowDispatch: {}, schedule: [{ cron: "0 4 1 * *" }] });
    const job = this.job(30, {}, [
      { name: "Upgrade", run: "npm run upgrade && npm install --package-lock-only && npm ci && npm run check" },
      ...github.WorkflowActions.createPullRequest({
        workflowName: "upgrade",
        pullRequestTitle: "build(deps): upgrade dependencies",
        pullRequestDescription: "Compatible releases of the packages in projenrc/versions.ts.",
        branchName: "upgrade/dependencies",
        labels: ["dependencies"],
        credentials: github.GithubCredentials.fromPersonalAccessToken({ secret: "GITHUB_TOKEN" }),
        stepId: "create-pull-request",
      }),
    ]);
    workflow.addJob("upgrade", { ...job, permissions: { contents: WRITE, pullRequests: WRITE } });
  }

  private job(timeoutMinutes: number, setup: Setup, steps: readonly github.workflows.JobStep[]): github.workflows.Job {
    return {
      runsOn: ["ubuntu-latest"],
      timeoutMinutes,
      permissions: { contents: READ },
      tools: { node: { version: MIN_NODE }, ...(setup.languages ? LANGUAGES : {}) },
      steps: [
        github.WorkflowSteps.checkout(setup.history ? { with: { fetchDepth: 0 } } : {}),
        { name: "Install", run: "npm ci" },
        ...steps,
      ],
    };
  }

  private issueForms(): void {
    const folder = ".github/ISSUE_TEMPLATE";
    new YamlFile(this.root, `${folder}/bug.yml`, { obj: BUG_FORM });
    new YamlFile(this.root, `${folder}/feature.yml`, { obj: FEATURE_FORM });
    const security = `${REPOSITORY_WEB}/security/advisories/new`;
    const about = "Report it in private; SECURITY.md says how.";
    new YamlFile(this.root, `${folder}/config.yml`, {
      obj: { blank_issues_enabled: true, contact_links: [{ name: "A vulnerability", url: security, about }] },
    });
  }
}

/** A registry of packages, the folder with the pack for it, and the secrets that the upload needs. */
interface Registry {
  readonly name: string;
  readonly publisher: "publib-npm" | "publib-pypi" | "publib-maven" | "publib-golang";
  readonly folder: string;
  /** Variables of the publisher, each from the secret of that name. */
  readonly secrets: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The variables are those of https://github.com/cdklabs/publib. */
const REGISTRIES: readonly Registry[] = [
  { name: "npm", publisher: "publib-npm", folder: "constructs/dist/js", secrets: ["NPM_TOKEN"] },
  // The sandbox, which tests of users' apps need.
  { name: "npm, the sandbox", publisher: "publib-npm", folder: "sandbox/dist/npm", secrets: ["NPM_TOKEN"] },
  {
    name: "PyPI",
    publisher: "publib-pypi",
    folder: "constructs/dist/python",
    secrets: ["TWINE_PASSWORD"],
    env: { TWINE_USERNAME: "__token__" },
  },
  {
    name: "Maven Central",
    publisher: "publib-maven",
    folder: "constructs/dist/java",
    secrets: ["MAVEN_USERNAME", "MAVEN_PASSWORD", "MAVEN_GPG_PRIVATE_KEY", "MAVEN_GPG_PRIVATE_KEY_PASSPHRASE"],
    env: { MAVEN_SERVER_ID: "central-ossrh" },
  },
  {
    name: "the Go module's repository",
    publisher: "publib-golang",
    folder: "constructs/dist/go",
    secrets: ["GO_GITHUB_TOKEN"],
    env: { GIT_USER_NAME: AUTHOR.name, GIT_USER_EMAIL: AUTHOR.email },
  },
];

function publish({ name, publisher, folder, secrets, env }: Registry): github.workflows.JobStep {
  const run = `npm exec --yes --package=publib@${VERSIONS.publib} -- ${publisher} ${folder}`;
  const own = Object.fromEntries(secrets.map((secret) => [publibName(secret), `\${{ secrets.${secret} }}`]));
  return { name: `Publish to ${name}`, run, env: { ...env, ...own } };
}

/** publib reads GITHUB_TOKEN, but GitHub reserves this name among secrets, and its token cannot write to another repository. */
function publibName(secret: string): string {
  return secret === "GO_GITHUB_TOKEN" ? "GITHUB_TOKEN" : secret;
}

const TOKEN = `\${{ secrets.GITHUB_TOKEN }}`;

const REPOSITORY_WEB = "https://github.com/flipop/flipop";

const LANGUAGES = { java: { version: "21" }, python: { version: "3.12" }, go: { version: "1.25" } };

/** The text of a pull request before its author fills it in. */
export const PULL_REQUEST = [
  "<!-- The title becomes the commit's subject, such as: fix(inventory): keep the lock while an action runs -->",
  "",
  "What changes, and why:",
  "",
  "Fixes #",
  "",
  "- [ ] A test fails without this change.",
  "- [ ] `npm run check` passes.",
  "- [ ] The docs describe the new behaviour (`npm run reference` for generated pages).",
];

function field(id: string, label: string, description: string, required = true): object {
  return { type: "textarea", id, attributes: { label, description }, validations: { required } };
}

const BUG_FORM = {
  name: "Bug",
  description: "The operator or the library does something wrong",
  labels: ["bug"],
  body: [
    { type: "input", id: "version", attributes: { label: "Version of flipop" }, validations: { required: true } },
    field("seen", "What happened", "Include the conditions and Events: kubectl describe shows both."),
    field("expected", "What you expected", "Name the page of the docs that made you expect it, if there is one."),
    field("resource", "The resource", "The YAML of the pool, record set or RoutedIP, with its status."),
    field("log", "The operator's log", "From a minute before until a minute after. The log contains no tokens.", false),
  ],
};

const FEATURE_FORM = {
  name: "Feature",
  description: "Something that flipop cannot do yet",
  labels: ["enhancement"],
  body: [
    field("need", "What you want to achieve", "Describe the situation, not only the solution."),
    field("today", "What you do today", "A workaround, another tool, or nothing.", false),
  ],
};
