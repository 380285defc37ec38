import { COMMIT_TYPES } from "../../projenrc/commit-types.js";

const LONGEST_SUBJECT = 100;
const SUBJECT = /^([a-z]+)(\([a-z0-9/-]+\))?!?: (.+)$/;

/** The problems of a commit message. Merges and fixups are not checked. */
export function messageProblems(message: string): readonly string[] {
  const [subject = "", second = ""] = message.split("\n").filter((line) => !line.startsWith("#"));
  if (/^(Merge|fixup!|squash!)/.test(subject)) return [];
  const separation = second === "" ? undefined : "the second line is not empty: separate the subject from the body";
  return [typeProblem(subject), ...lengthProblems(subject), separation].filter((problem) => problem !== undefined);
}

function typeProblem(subject: string): string | undefined {
  const [, type] = SUBJECT.exec(subject) ?? [];
  if (type === undefined)
    return `"${subject}" has no type: write it as "fix(inventory): keep the lock while an action runs"`;
  return COMMIT_TYPES.includes(type)
    ? undefined
    : `"${type}" is not a type of commit: use one of ${COMMIT_TYPES.join(", ")}`;
}

function lengthProblems(subject: string): readonly string[] {
  const long = `the subject has ${subject.length} characters: use at most ${LONGEST_SUBJECT}`;
  return [
    ...(subject.length > LONGEST_SUBJECT ? [long] : []),
    ...(subject.endsWith(".") ? ["the subject ends with a full stop: remove it"] : []),
  ];
}
