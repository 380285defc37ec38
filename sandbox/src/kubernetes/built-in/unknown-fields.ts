import { isObject } from "../json.js";
import { type Field, type Message, messageNamed } from "./messages.js";

/** Removes fields that the message does not have, in place; returns their paths. */
export function removeUnknown(value: unknown, messageName: string, path: string): readonly string[] {
  const message = messageNamed(messageName);
  if (message === undefined || !isObject(value)) return [];
  const known = fieldsByName(message);
  return Object.keys(value).flatMap((name) => {
    const place = path === "" ? name : `${path}.${name}`;
    const field = known.get(name);
    if (field !== undefined) return inField(value[name], field, place);
    delete value[name];
    return [place];
  });
}

function inField(value: unknown, { type, many }: Field, path: string): readonly string[] {
  if (many === "one") return removeUnknown(value, type, path);
  if (Array.isArray(value)) return value.flatMap((item, index) => removeUnknown(item, type, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => removeUnknown(item, type, `${path}.${key}`));
}

const known = new Map<Message, ReadonlyMap<string, Field>>();

/** Fields of messages that stand in another one without a name are its own. */
function fieldsByName(message: Message): ReadonlyMap<string, Field> {
  const found = known.get(message) ?? new Map(allFields(message).map((field) => [field.name, field]));
  known.set(message, found);
  return found;
}

/** The fields of a message in JSON. */
export function allFields({ fields }: Message): readonly Field[] {
  return [...fields.values()].flatMap((field) => {
    const inner = field.name === "" ? messageNamed(field.type) : undefined;
    return inner === undefined ? [field] : allFields(inner);
  });
}
