import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Only for its owner; one in a temporary folder goes with the sandbox, however that ends. */
export class KubeconfigFile {
  /** Absolute: whoever reads it may be in another folder. */
  readonly path: string;
  private readonly folder: string | undefined;
  private readonly onExit = () => this.remove();

  /** @param path @default - in a temporary folder */
  constructor(path: string | undefined, text: string) {
    this.folder = path === undefined ? mkdtempSync(join(tmpdir(), "flipop-sandbox-")) : undefined;
    this.path = resolve(path ?? join(this.folder ?? tmpdir(), "kubeconfig"));
    try {
      writeFileSync(this.path, text, { mode: 0o600 });
    } catch (error) {
      const problem = `--kubeconfig: cannot write ${this.path}: give a file in a folder that exists and is yours`;
      throw new Error(problem, { cause: error });
    }
    process.once("exit", this.onExit);
  }

  remove(): void {
    process.off("exit", this.onExit);
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true });
  }
}
