/** The version in pages and examples, which follows RELEASE in projenrc/versions.ts. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "../../projenrc/versions.js";

const VERSION = String.raw`\d+\.\d+\.\d+`;
/** The text before a version of flipop: the image's tag (also in a kustomization), the library as a package of an app, and the image's label. */
const BEFORE = [
  String.raw`\bflipop:`,
  "/flipop, newTag: ",
  String.raw`\bimage/oci:`,
  String.raw`package: cdk8s-flipop\n +version: `,
  "/cdk8sflipop v",
  String.raw`<artifactId>cdk8s-flipop</artifactId>\s*<version>`,
  String.raw`image\.version="`,
];
const MENTION = new RegExp(`(${BEFORE.join("|")})${VERSION}`, "g");

/** The text with the current version in place of any other. */
export function withRelease(text: string): string {
  return text.replaceAll(MENTION, `$1${RELEASE}`);
}

/** Every file that names the version and that no other tool generates. */
export function filesWithRelease(root: string): readonly string[] {
  const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".md"),
  );
  const others = ["README.md", "examples/go/go.mod", "examples/java/pom.xml", "tools/image/Containerfile"];
  return [...others, ...pages.map((file) => join("docs", file))];
}
