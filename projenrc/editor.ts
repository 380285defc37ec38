import { JsonFile, type javascript } from "projen";

/** `.vscode/launch.json`: debug the open test file, or the operator. Other editors run the same commands. */
export function addLaunchConfiguration(project: javascript.NodeProject): void {
  new JsonFile(project, ".vscode/launch.json", { marker: false, obj: LAUNCH });
}

const WORKSPACE = editor("workspaceFolder");

function editor(variable: string): string {
  return `\${${variable}}`;
}

const TSX = { type: "node", request: "launch", runtimeArgs: ["--import", "tsx"], skipFiles: ["<node_internals>/**"] };

/** The debugger starts each of them from the TypeScript sources. */
const LAUNCH = {
  version: "0.2.0",
  configurations: [
    {
      ...TSX,
      name: "The open test file",
      cwd: editor("fileWorkspaceFolder"),
      program: `${WORKSPACE}/node_modules/mocha/bin/mocha.js`,
      args: ["--timeout", "0", editor("file")],
    },
    {
      ...TSX,
      name: "The operator on the current cluster, dry run",
      cwd: WORKSPACE,
      program: `${WORKSPACE}/operator/src/main.ts`,
      args: ["run", "--dry-run", "--leader-elect=false", "--debug"],
      envFile: `${WORKSPACE}/.env`,
    },
  ],
};
