import ts from "typescript";
import type { Piece } from "./rules.js";

/** The text of a file for readers: a whole page without its inline code, or the comments and strings of a program. */
export function piecesOf(file: string, text: string): readonly Piece[] {
  if (file.endsWith(".md")) return [{ line: 1, text: joined(text.replaceAll(/`[^`\n]*`/g, "`")) }];
  return programPieces(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true));
}

/** Removes a comment's stars and line ends from its sentences. The number of lines does not change. */
function joined(text: string): string {
  return text.replaceAll(/\n[ \t]*(\*|\/\/)?[ \t]*/g, "\n ");
}

function programPieces(source: ts.SourceFile): readonly Piece[] {
  const pieces = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(source.text, node.end) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) pieces.set(pos, joined(source.text.slice(pos, end)));
    const text = textOf(node);
    if (text !== undefined) pieces.set(node.getStart(source), text);
    node.forEachChild(visit);
  };
  visit(source);
  return [...pieces].map(([at, text]) => ({ line: source.getLineAndCharacterOfPosition(at).line + 1, text }));
}

function textOf(node: ts.Node): string | undefined {
  if (node.parent !== undefined && (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)))
    return undefined;
  const readable = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  return readable ? node.text : undefined;
}
