/** Who wrote a record, in its comment. */

const PREFIX = "flipop: ";
/** Of zones on the free plan, in characters; others allow more. */
const MAX_COMMENT = 100;

/** The comment that marks a record as an owner's. A name that is too long is cut: the mark is for people only. */
export function markOf(owner: string): string {
  const line = `${PREFIX}${owner.replace(/\s+/g, " ").trim()}`;
  return [...line].slice(0, MAX_COMMENT).join("");
}

/** The owner in a comment; `undefined` for none, and for one that somebody else wrote. */
export function ownerIn(comment: string): string | undefined {
  return comment.startsWith(PREFIX) ? comment.slice(PREFIX.length) : undefined;
}

/** Whether the comment may be replaced: it is empty, or one of these marks. */
export function mayReplace(comment: string): boolean {
  return comment === "" || comment.startsWith(PREFIX);
}
