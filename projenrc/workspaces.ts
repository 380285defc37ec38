import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Component, type javascript } from "projen";
import { RootProjenrc } from "./projenrc-tsx.js";

/**
 * npm workspaces with one install, at the root. projen installs a project when that project's own package.json changed.
 * This class disables the installs of subprojects, so the root must also check the manifests of its workspaces.
 */
export class Workspaces extends Component {
  private readonly members: javascript.NodeProject[] = [];
  private before = "";

  constructor(private readonly root: javascript.NodeProject) {
    super(root);
    root.package.addField("workspaces", () => this.members.map((member) => relative(root.outdir, member.outdir)));
  }

  /** Makes `member` a workspace, whose dependencies the root installs. */
  add(member: javascript.NodeProject): void {
    this.members.push(member);
    new RootProjenrc(member);
    member.package.installTask.reset();
    member.package.installCiTask.reset();
  }

  override preSynthesize(): void {
    this.before = this.fingerprint();
  }

  override postSynthesize(): void {
    if (this.before === this.fingerprint()) return;
    this.project.logger.info("a workspace's package.json changed: installing at the root");
    this.root.tasks.runTask(this.root.package.installTask.name);
  }

  private fingerprint(): string {
    const hash = createHash("sha256");
    for (const member of this.members) {
      const manifest = join(member.outdir, "package.json");
      hash.update(existsSync(manifest) ? readFileSync(manifest) : "absent");
    }
    return hash.digest("hex");
  }
}
