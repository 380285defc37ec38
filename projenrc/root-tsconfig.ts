import { Component, JsonFile, type Project } from "projen";
import { STRICT } from "./shared-options.js";

/** Type-checks the files outside of workspaces: projen's configuration, CI, examples, the repo's own tests. */
export class RootTsconfig extends Component {
  constructor(project: Project) {
    super(project);
    new JsonFile(project, "tsconfig.json", {
      marker: false,
      obj: {
        compilerOptions: { ...STRICT, module: "nodenext", noEmit: true, types: ["node", "mocha"] },
        include: [".projenrc.ts", "projenrc", ".ci/*.ts", "examples", "test", "tools"],
      },
    });
  }
}
