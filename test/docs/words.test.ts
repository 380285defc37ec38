import { expect } from "chai";
import { describe, it } from "mocha";
import { allFindings } from "../../tools/words/check.js";
import { piecesOf } from "../../tools/words/pieces.js";
import { findingsIn } from "../../tools/words/rules.js";

const found = (file: string, text: string) =>
  findingsIn(piecesOf(file, text)).map((finding) => `${finding.line} ${finding.found}`);

describe("the English of docs, comments and messages", () => {
  it("is plain in every file; npm run words lists the findings", () => {
    expect([...allFindings().keys()]).to.deep.equal([]);
  });
});

describe("the search for banned constructions", () => {
  it("reads pages without their inline code, across line ends", () => {
    expect(found("a.md", "# Title\nIt `tells` the user, of what\nis there. Nobody\nknows.")).to.deep.equal([
      "3 Nobody",
      "2 of what is",
    ]);
  });

  it("reads the comments and strings of a program, and not its names", () => {
    const text = `import { told } from "./told";\n/**\n * It is\n * said.\n */\nconst tells = \`x \${told} but for y\`; // mends\nf("senseless");`;
    expect(found("a.ts", text)).to.have.members(["3 is said", "6 but for", "7 senseless", "6 mends"]);
  });
});
