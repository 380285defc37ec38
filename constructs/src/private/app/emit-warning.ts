import type { IConstruct } from "constructs";
import { holdsToken } from "../tokens";

const WARNING = "flipop:warning";
const QUIET = "flipop:quiet";

/** Warns about the constructs of an app only in their metadata. */
export function warnQuietly(app: IConstruct): void {
  app.node.addMetadata(QUIET, true);
}

/** The warnings about a construct. */
export function warningsOf({ node }: IConstruct): readonly string[] {
  return node.metadata.flatMap(({ type, data }) => (type === WARNING ? [String(data)] : []));
}

/**
 * Warns once about a construct: in its metadata, which tools read, and on the standard error output. Warnings never fail
 * a synthesis.
 */
export function warn(construct: IConstruct, message: string): void {
  const { node } = construct;
  // A check refuses the value.
  if (holdsToken(message)) return;
  if (node.metadata.some(({ type, data }) => type === WARNING && data === message)) return;
  node.addMetadata(WARNING, message);
  if (node.root.node.metadata.some(({ type }) => type === QUIET)) return;
  process.emitWarning(`[${node.path}] ${message}`, "flipop");
}
