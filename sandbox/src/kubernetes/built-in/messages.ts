/** The messages of the built-in kinds, derived from the table in fields.ts. */
import { FIELDS } from "./fields.js";

/** A field of a message. */
export interface Field {
  /** Its JSON name; empty: its own fields stand in the message itself. */
  readonly name: string;
  /** A word such as `text`, or the name of a message. */
  readonly type: string;
  readonly many: "one" | "list" | "map";
  /** JSON leaves it out where it is empty. */
  readonly omitEmpty: boolean;
}

export interface Message {
  /** By its number in protobuf. */
  readonly fields: ReadonlyMap<number, Field>;
  /** From the last number to the first. */
  readonly descending: readonly (readonly [number, Field])[];
}

/** Every message by name, such as `core.PodSpec`. */
const MESSAGES = new Map<string, Message>();
/** The message of each kind, by `apiVersion kind`. */
const KINDS = new Map<string, string>();

for (const line of FIELDS.trim().split("\n")) {
  const [name = "", ...words] = line.split(" ");
  if (words[0]?.includes("=") === false) KINDS.set(`${words.shift()} ${name.split(".")[1]}`, name);
  const fields = words.map(readField);
  MESSAGES.set(name, { fields: new Map(fields), descending: fields.toSorted(([a], [b]) => b - a) });
}

/** Reads `4=tolerations:[]core.Toleration?`. */
function readField(word: string): [number, Field] {
  const [, number, name = "", sign = "", type = "", optional] =
    /^(\d+)=(\w*):(\[\]|\{\})?([\w.]+)(\?)?$/.exec(word) ?? [];
  const many = sign === "" ? "one" : sign === "[]" ? "list" : "map";
  return [Number(number), { name, type, many, omitEmpty: optional !== undefined }];
}

/** The message of a name; undefined for the words of fields that are no message. */
export function messageNamed(name: string): Message | undefined {
  return MESSAGES.get(name);
}

/** Name of the message of a kind. Options such as DeleteOptions have no kind of their own in a group: any fits. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  return KINDS.get(`${apiVersion} ${kind}`) ?? (kind === "DeleteOptions" ? "meta.DeleteOptions" : undefined);
}
