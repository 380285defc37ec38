import { Component, github, type javascript, TextFile, YamlFile } from "projen";
import { JobPermission } from "projen/lib/github/workflows-model.js";
import { MIN_NODE, OWNERS, VERSIONS } from "./versions.js";

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
      everything: this.job(60, { languages: true }, [{ name: "Every suite", run: "bash .ci/run" }]),
    });
  }

  /** A tag `v1.2.3` becomes a release with the packs, the chart, the manifests and the image. */
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
          `skopeo copy --all oci:operator/dist/image "docker://ghcr.io/$GITHUB_REPOSITORY:\${GITHUB_REF_NAME#v}"`,
        ].join("\n"),
        env: { TOKEN },
      },
      { name: "Notes", run: "npm run --silent changelog -- --latest --strip header --output notes.md" },
      {
        name: "GitHub release",
        run: `tar -czf dist/manifests.tgz -C dist --exclude=manifests.tgz . && gh release create "$GITHUB_REF_NAME" --notes-file notes.md dist/manifests.tgz operator/dist/flipop.mjs $(find constructs/dist -type f -name '*.tgz' -o -type f -name '*.whl')`,
        env: { GH_TOKEN: TOKEN },
      },
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

/** The changelog, from the commits since the last tag. */
export const CHANGELOG_COMMAND = `npm exec --yes --package=git-cliff@${VERSIONS.gitCliff} -- git-cliff --config cliff.toml`;
