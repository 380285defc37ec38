/** Finds texts of conditions and Events outside the catalogue, decisions by a text, and texts that the code has twice. */

import ts from "typescript";

export interface SourceText {
  /** Below operator/src. */
  readonly file: string;
  readonly text: string;
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** What a message is called in the sources. */
const MESSAGE_NAMES: ReadonlySet<string> = new Set(["message", "note", "error", "notice", "seen", "detail", "remedy"]);
/** Functions that make conditions and Events of a message. */
const MAKERS: ReadonlySet<string> = new Set(["yes", "no", "unknown", "conditionEvent", "failedEvent"]);
const SEARCHES: ReadonlySet<string> = new Set([
  ...["includes", "startsWith", "endsWith", "indexOf", "lastIndexOf", "match", "matchAll", "search"],
]);
const PATTERNS: ReadonlySet<string> = new Set(["test", "exec"]);

/** Literals that become the text of a condition, a status or an Event. */
export function textsOutside(source: SourceText): readonly Place[] {
  return collect(source, (node) => {
    if (ts.isPropertyAssignment(node) && isNamed(node.name)) return wordsOf(node.initializer);
    if (ts.isVariableDeclaration(node) && isNamed(node.name)) return node.initializer && wordsOf(node.initializer);
    return ts.isCallExpression(node) && MAKERS.has(nameOf(node.expression)) ? firstWords(node.arguments) : undefined;
  });
}

/** Calls that look into a message. */
export function searches(source: SourceText): readonly Place[] {
  if (!/\.(?:includes|\w+With|\w*[iI]ndexOf|match\w*|search|test|exec)\(/.test(source.text)) return [];
  return collect(source, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
    const { name, expression } = node.expression;
    const inside = SEARCHES.has(name.text) && MESSAGE_NAMES.has(nameOf(expression));
    const matched = PATTERNS.has(name.text) && node.arguments.some((each) => MESSAGE_NAMES.has(nameOf(each)));
    return inside || matched ? node.getText() : undefined;
  });
}

/** Sentences of at least so many characters that stand in two places. */
const LENGTH = 24;

export function repeatedTexts(sources: readonly SourceText[]): readonly string[] {
  const places = new Map<string, Place[]>();
  for (const source of sources) {
    for (const place of collect(source, textOf)) {
      const text = place.what.trim();
      if (text.length >= LENGTH && text.includes(" ")) places.set(text, [...(places.get(text) ?? []), place]);
    }
  }
  return [...places]
    .filter(([, found]) => found.length > 1)
    .map(([text, found]) => `${found.map(show).join(", ")}: ${text}`);
}

export function show({ file, line }: Place): string {
  return `${file}:${line}`;
}

function collect({ file, text }: SourceText, find: (node: ts.Node) => string | undefined): readonly Place[] {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const places: Place[] = [];
  const visit = (node: ts.Node) => {
    const what = find(node);
    if (what !== undefined) {
      places.push({ file, line: parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1, what });
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return places;
}

function isNamed(name: ts.Node): boolean {
  return ts.isIdentifier(name) && MESSAGE_NAMES.has(name.text);
}

/** The last name of `a.b.c`, of `(a ?? "").c` and of calls of it. */
function nameOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return nameOf(node.expression);
  return ts.isBinaryExpression(node) ? nameOf(node.left) : "";
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return isImport(node) ? undefined : node.text;
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) ? node.text : undefined;
}

function isImport({ parent }: ts.Node): boolean {
  return ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
}

/** A literal with words in an expression, but not in what it passes to a function. */
function wordsOf(node: ts.Node): string | undefined {
  const text = textOf(node);
  if (text?.trim().includes(" ")) return text;
  if (ts.isCallExpression(node) || ts.isArrowFunction(node)) return undefined;
  return firstWords(node.getChildren());
}

function firstWords(nodes: readonly ts.Node[]): string | undefined {
  for (const node of nodes) {
    const words = wordsOf(node);
    if (words !== undefined) return words;
  }
  return undefined;
}
