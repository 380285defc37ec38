import type { IConstruct } from "constructs";
import { holdsToken } from "../tokens";

const WARNING = "flipop:warning";

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
  process.emitWarning(`[${node.path}] ${message}`, "flipop");
}
