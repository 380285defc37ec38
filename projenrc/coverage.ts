import { Component, JsonFile, type javascript } from "projen";

/** `.c8rc.json`: the unit tests measure their line coverage of `src`, and fail below `minLines` percent. */
export class Coverage extends Component {
  constructor(project: javascript.NodeProject, minLines: number) {
    super(project);
    new JsonFile(project, ".c8rc.json", {
      marker: false,
      obj: {
        include: ["src/**/*.ts"],
        reporter: ["text-summary"],
        "temp-directory": "coverage/tmp",
        "check-coverage": true,
        lines: minLines,
        statements: minLines,
        functions: 0,
        branches: 0,
      },
    });
  }
}
