import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** The files that each file imports, types included; paths are relative to the root of the repo. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;
