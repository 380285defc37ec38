/** One file defines all bounds: a reader who asks how long something may take finds every answer there. */

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "chai";
import ts from "typescript";

const SOURCES = join(import.meta.dirname, "../src");
/** The catalogue of messages has example values for the reference page. */
const ELSEWHERE = ["timings.ts", "messages/"];

/** Numbers of formats and of other people's APIs: they bound no wait. */
const NOT_BOUNDS = [
  "clock.ts MICROS_IN_MS",
  "commands/migrate/findings.ts TTL_SECONDS",
  "providers/cloudflare/batches.ts LEAST_TTL_SECONDS",
  "providers/cloudflare/batches.ts MOST_TTL_SECONDS",
  "providers/cloudflare/index.ts seconds",
  "providers/diff.ts DEFAULT_TTL_SECONDS",
  "providers/digitalocean/dns.ts MINIMUM_TTL_SECONDS",
  "providers/digitalocean/index.ts seconds",
  "records/dns-ready-condition.ts USUAL_TTL_SECONDS",
];

const NAME = /(^|_)(MS|SECONDS|MINUTES|HOURS|ATTEMPTS|TRIES|ROUNDS|TURNS|KEYS|KEPT)$|(Ms|[sS]econds)$/;
const CALL = /^(setTimer|setTimeout|setInterval|addAfter|requeueAfter|pause|settlesWithin|timeout)$/;

describe("the bounds", () => {
  it("finds a bound wherever a source may hide one", () => {
    const source = `
      const RETRY_MS = 5 * SECOND_MS;
      const WAITS_SECONDS: readonly number[] = [1, 2];
      const options = { deadlineSeconds: 30, first: { retryMs: 2 * 60_000 } };
      function f(patienceMs = 250) { return requeueAfter(1_000 + patienceMs); }
      clock.setTimer(60_000, f); AbortSignal.timeout(5); later(7);
      const zeroMs = 0; const otherMs = RETRY_MS; const ageSeconds = age / 1000;`;
    expect(boundsIn(source)).to.deep.equal([
      "RETRY_MS",
      "WAITS_SECONDS",
      "deadlineSeconds",
      "retryMs",
      "patienceMs",
      "requeueAfter()",
      "setTimer()",
      "timeout()",
    ]);
  });

  it("are defined in timings.ts only", () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    const own = files.filter((path) => !ELSEWHERE.some((start) => path.startsWith(start)));
    expect(own).not.to.be.empty;
    const found = own.flatMap((path) =>
      boundsIn(readFileSync(join(SOURCES, path), "utf8")).map((name) => `${relative(".", path)} ${name}`),
    );
    expect([...new Set(found)].sort()).to.deep.equal(NOT_BOUNDS);
  });
});

function boundsIn(source: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== undefined) found.push(name);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest));
  return found;
}

/** What a node that sets a bound to a number calls it. */
function nameOf(node: ts.Node): string | undefined {
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isParameter(node)) return declared(node);
  if (ts.isPropertyDeclaration(node)) return declared(node);
  if (!ts.isCallExpression(node)) return undefined;
  const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
  if (!ts.isIdentifier(called) || !CALL.test(called.text)) return undefined;
  return node.arguments.some(isNumber) ? `${called.text}()` : undefined;
}

type Declaration = ts.VariableDeclaration | ts.PropertyAssignment | ts.ParameterDeclaration | ts.PropertyDeclaration;

function declared({ name, initializer }: Declaration): string | undefined {
  if (!ts.isIdentifier(name) || !NAME.test(name.text)) return undefined;
  return initializer !== undefined && isNumber(initializer) ? name.text : undefined;
}

/** A number other than 0, alone, in a list, added to something, or times another number or a constant. */
function isNumber(node: ts.Expression): boolean {
  if (ts.isNumericLiteral(node)) return Number(node.text) !== 0;
  if (ts.isArrayLiteralExpression(node)) return node.elements.some(isNumber);
  if (!ts.isBinaryExpression(node)) return false;
  const sides = [node.left, node.right];
  const { kind } = node.operatorToken;
  if (kind === ts.SyntaxKind.PlusToken) return sides.some(isNumber);
  return sides.some(isNumber) && sides.every((side) => isNumber(side) || isConstant(side));
}

function isConstant(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === node.text.toUpperCase();
}
