import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONSTRUCTS, ROOT } from "../packs/paths.js";

/** The part of jsii's assembly that these tools read. */
export interface Assembly {
  readonly types: Readonly<Record<string, AssemblyType>>;
}

/** Documentation of a type or member. */
export interface Docs {
  readonly summary?: string;
  readonly default?: string;
  readonly example?: string;
}

/** A property, parameter or return value. */
export interface AssemblyValue {
  readonly name: string;
  readonly optional?: boolean;
  readonly docs?: Docs;
  readonly type: { readonly fqn?: string };
}

/** A method. */
export interface AssemblyMethod {
  readonly name: string;
  readonly docs?: Docs;
  readonly parameters?: readonly AssemblyValue[];
}

/** A class, interface or enum. */
export interface AssemblyType {
  readonly kind: "class" | "interface" | "enum";
  readonly name: string;
  /** Whether an interface is a struct: plain data, no behaviour. */
  readonly datatype?: boolean;
  readonly docs?: Docs;
  readonly properties?: readonly AssemblyValue[];
  readonly methods?: readonly AssemblyMethod[];
  readonly members?: readonly { readonly name: string; readonly docs?: Docs }[];
  readonly initializer?: { readonly parameters?: readonly AssemblyValue[] };
}

/** Reads the assembly of the library's last compilation. */
export function readAssembly(): Assembly {
  return JSON.parse(readFileSync(join(CONSTRUCTS, ".jsii"), "utf8")) as Assembly;
}

/** Replacements for parts of the package. */
export interface PackageParts {
  /** @default - the assembly of the last compilation */
  readonly assembly?: Assembly | undefined;
  /** @default - the library's README */
  readonly readme?: string | undefined;
}

/**
 * Calls `work` with a temporary folder that contains the library as a standalone package: manifest, README, assembly
 * and its dependencies, which the tools expect in its own `node_modules`.
 */
export function withPackageFolder<T>(work: (folder: string) => T, { assembly, readme }: PackageParts = {}): T {
  const folder = mkdtempSync(join(tmpdir(), "flipop-library-"));
  try {
    const json = assembly ? { ...assembly } : readJson(".jsii");
    if (readme !== undefined) Object.assign(json, { readme: { markdown: readme } });
    writeFileSync(join(folder, ".jsii"), JSON.stringify(json));
    copyFileSync(join(CONSTRUCTS, "package.json"), join(folder, "package.json"));
    mkdirSync(join(folder, "node_modules"));
    for (const name of Object.keys(readJson("package.json").peerDependencies ?? {})) {
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
    }
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readJson(file: string): PackageJson {
  return JSON.parse(readFileSync(join(CONSTRUCTS, file), "utf8")) as PackageJson;
}

interface PackageJson {
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
