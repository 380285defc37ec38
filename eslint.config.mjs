// The rules that need types, and the limits of size; format and all quick rules are biome's (biome.json).
import { readdirSync } from "node:fs";
import { join } from "node:path";
import tseslint from "typescript-eslint";

/** Promises and types that only the compiler can see through. */
const typed = {
  "@typescript-eslint/no-floating-promises": [
    "error",
    {
      allowForKnownSafeCalls: [
        { from: "package", package: "mocha", name: ["it", "describe"] },
        { from: "package", package: "node:test", name: "test" },
      ],
    },
  ],
  "@typescript-eslint/no-misused-promises": "error",
  "@typescript-eslint/await-thenable": "error",
  "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
  "@typescript-eslint/no-unnecessary-condition": "off",
  "@typescript-eslint/only-throw-error": "error",
  // An AbortSignal's reason is what its owner made it.
  "@typescript-eslint/prefer-promise-reject-errors": ["error", { allowThrowingAny: true, allowThrowingUnknown: true }],
  "@typescript-eslint/no-explicit-any": "error",
  "@typescript-eslint/no-unsafe-return": "error",
  "@typescript-eslint/no-deprecated": "error",
};

/** A reader's limits. */
const limits = {
  complexity: ["error", 10],
  "max-depth": ["error", 3],
  "max-params": ["error", 4],
  "max-lines": ["error", 300],
  "max-lines-per-function": ["error", { max: 40, skipBlankLines: true, skipComments: true }],
};

const CONTROLLERS = "operator/src/controllers";
const kinds = readdirSync(join(import.meta.dirname, CONTROLLERS), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Forbids imports whose path leads into the folder of one of these kinds. */
function forbid(names, message) {
  const regex = `^(\\.\\./)+(controllers/)?(${names.join("|")})/`;
  return { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] };
}

/** What kinds share stands beside them, so that a reader of one kind never has to read another. */
const kindImports = [
  ...kinds.map((kind) => ({
    files: [`${CONTROLLERS}/${kind}/**/*.ts`],
    rules: forbid(
      kinds.filter((other) => other !== kind),
      "The folder of a kind does not import that of another kind: move what both need into addresses/, routing/ or reconcile/.",
    ),
  })),
  {
    files: ["operator/src/*/**/*.ts"],
    ignores: [`${CONTROLLERS}/**`],
    rules: forbid(kinds, "Code that kinds share does not import the folder of a kind: let the kind pass a value."),
  },
];

/** The tsconfigs that know the files. */
const projects = ["tsconfig.json", "constructs/tsconfig.json", "constructs/test/tsconfig.json"];

export default tseslint.config(
  { ignores: ["**/node_modules/", "**/lib/", "**/dist/", "**/coverage/", "**/*.mjs", "**/*.cjs", "**/*.js"] },
  {
    files: ["**/*.ts"],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: projects, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "@typescript-eslint": tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: { ...typed, ...limits },
  },
  {
    // A test file is a list of cases: its describe() may be long. Each `it` still fits on a screen.
    files: ["**/test/**/*.ts"],
    rules: { "max-lines-per-function": "off" },
  },
  ...kindImports,
);
