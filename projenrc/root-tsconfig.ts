import { Component, JsonFile, type Project } from "projen";
import { STRICT } from "./shared-options.js";

const WORKSPACES = ["operator", "sandbox", "testbed"];

/**
 * Type-checks everything except the construct library, whose options jsii chooses. One program for all of it takes less
 * time than one for each workspace, because they import each other. The workspaces have their own files for editors.
 */
export class RootTsconfig extends Component {
  constructor(project: Project) {
    super(project);
    new JsonFile(project, "tsconfig.json", {
      marker: false,
      obj: {
        compilerOptions: {
          ...STRICT,
          module: "nodenext",
          esModuleInterop: true,
          resolveJsonModule: true,
          noEmit: true,
          // A check after a change takes about half as long as the first one.
          incremental: true,
          tsBuildInfoFile: "flipop.tsbuildinfo",
          types: ["node", "mocha"],
        },
        include: [".projenrc.ts", "projenrc", ".ci/*.ts", "examples", "test", "tools", ...WORKSPACES],
        exclude: ["**/node_modules", "**/lib", "**/dist", "**/coverage"],
      },
    });
  }
}
