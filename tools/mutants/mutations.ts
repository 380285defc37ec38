/** The small changes to a source file that a test must notice, found in its syntax tree. Pure. */

import ts from "typescript";

export interface Mutation {
  /** The kind of change, such as `negated condition`. */
  readonly change: string;
  /** The part of the text that `after` replaces. */
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

const SWAPPED_OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
};
const SWAPPED_METHODS: Readonly<Record<string, string>> = { some: "every", every: "some", min: "max", max: "min" };
/** Calls that return a list of the same type as the list that they are called on. */
const DROPPED_CALLS = new Set(["filter", "sort", "toSorted", "reverse", "toReversed"]);
/** Only readers of the log see the effect of these calls. */
const LOG_CALL = /\blog(ger)?\??\.(trace|debug|info|warn|error)$/;

/** All mutations of a file, in the order of their places. */
export function mutationsOf(file: string, text: string): readonly Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const visit = (node: ts.Node): void => {
    if (isOutOfScope(node)) return;
    found.push(...mutationsAt(node).filter(({ start, end, after }) => text.slice(start, end) !== after));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Types do nothing at run time, and the texts of logs and templates are not decisions. */
function isOutOfScope(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isTemplateExpression(node) ||
    (ts.isCallExpression(node) && LOG_CALL.test(node.expression.getText()))
  );
}

function mutationsAt(node: ts.Node): readonly Mutation[] {
  if (ts.isIfStatement(node)) return [negated(node.expression), ...withoutGuard(node)];
  if (ts.isConditionalExpression(node)) return [negated(node.condition)];
  if (ts.isBinaryExpression(node)) return swapped(node.operatorToken, SWAPPED_OPERATORS, "swapped operator");
  if (ts.isCallExpression(node)) return ofCall(node);
  if (ts.isExpressionStatement(node)) return ofStatement(node);
  if (ts.isReturnStatement(node) && node.expression) return [replaced(node.expression, "[]", "empty list")];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return [replaced(node.body, "[]", "empty list")];
  return ofValue(node);
}

function replaced(node: ts.Node, after: string, change: string): Mutation {
  return { change, start: node.getStart(), end: node.getEnd(), after };
}

function negated(condition: ts.Expression): Mutation {
  return replaced(condition, `!(${condition.getText()})`, "negated condition");
}

/** Removes `if (...) return ...;`, also with `continue`, `break` or `throw`. */
function withoutGuard(node: ts.IfStatement): readonly Mutation[] {
  const { thenStatement: then, elseStatement } = node;
  const last = ts.isBlock(then) ? then.statements.at(-1) : then;
  const leaves =
    last !== undefined &&
    (ts.isReturnStatement(last) ||
      ts.isContinueStatement(last) ||
      ts.isBreakStatement(last) ||
      ts.isThrowStatement(last));
  return leaves && elseStatement === undefined ? [replaced(node, "{}", "removed guard")] : [];
}

function swapped(node: ts.Node, table: Readonly<Record<string, string>>, change: string): readonly Mutation[] {
  const other = Object.hasOwn(table, node.getText()) ? table[node.getText()] : undefined;
  return other === undefined ? [] : [replaced(node, other, change)];
}

function ofCall({ expression }: ts.CallExpression & { readonly expression: ts.Expression }): readonly Mutation[] {
  if (!ts.isPropertyAccessExpression(expression)) return [];
  const { name, parent } = expression;
  const list = expression.expression.getText();
  if (DROPPED_CALLS.has(name.text)) return [replaced(parent, list, `dropped ${name.text}`)];
  return swapped(name, SWAPPED_METHODS, "swapped method");
}

function ofStatement(node: ts.ExpressionStatement): readonly Mutation[] {
  const { expression } = node;
  if (ts.isCallExpression(expression) && LOG_CALL.test(expression.expression.getText())) return [];
  const removed = replaced(node, "{}", "removed statement");
  if (!ts.isAwaitExpression(expression)) return [removed];
  return [removed, replaced(expression, `void ${expression.expression.getText()}`, "dropped await")];
}

function ofValue(node: ts.Node): readonly Mutation[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replaced(node, "false", "changed constant")];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [replaced(node, "true", "changed constant")];
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    return [replaced(node, String(value === 0 ? 1 : value * 2), "changed constant")];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [replaced(node, node.operand.getText(), "dropped negation")];
  return [];
}
