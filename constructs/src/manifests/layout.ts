/** Code as a tree, which a printer lays out in lines. */
export type Layout = string | Sequence | Group | Pair;

/** Parts beside each other. */
export type Sequence = readonly Layout[];

/** Items between brackets, in one line or with a line for each item. */
export interface Group {
  readonly open: string;
  readonly items: readonly Layout[];
  readonly close: string;
  /** Space inside the brackets, in one line. */
  readonly space?: boolean;
  /** Whether each item has its own line in any case. */
  readonly expanded?: boolean;
  /** Whether the last item may begin in the line of the bracket, if only that item needs more lines. */
  readonly hugging?: boolean;
}

/** A key with a text, which goes to the next line if it does not fit behind the key. */
export interface Pair {
  readonly key: string;
  readonly text: string;
}

/** The settings of a language's formatter. */
export interface Style {
  readonly width: number;
  readonly indent: number;
}

/** The lines of a layout. */
export function print(layout: Layout, style: Style): string {
  return render(layout, { style, depth: 0, column: 0, tail: 0 });
}

interface Place {
  readonly style: Style;
  readonly depth: number;
  /** Characters before the layout in its line. */
  readonly column: number;
  /** Characters after it, which must fit in its last line. */
  readonly tail: number;
}

function render(layout: Layout, place: Place): string {
  if (typeof layout === "string") return layout;
  if (isPair(layout)) return renderPair(layout, place);
  if (!isGroup(layout)) return renderSequence(layout, place);
  const flat = flatOf(layout);
  const fits = flat !== undefined && place.column + flat.length + place.tail <= place.style.width;
  if (fits) return flat;
  return (layout.hugging ? hugged(layout, place) : undefined) ?? broken(layout, place);
}

function renderPair({ key, text }: Pair, { style, depth, column, tail }: Place): string {
  if (column + key.length + 1 + text.length + tail <= style.width) return `${key} ${text}`;
  return `${key}\n${" ".repeat(style.indent * (depth + 1))}${text}`;
}

function renderSequence(parts: Sequence, place: Place): string {
  let text = "";
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    const rest = parts.slice(index + 1).map((after) => headOf(after).length);
    const tail = last ? place.tail : rest.reduce((sum, length) => sum + length, 0) + place.tail;
    text += render(part, { ...place, column: columnAfter(text, place.column), tail });
  }
  return text;
}

/** The text up to the first place where a layout may break. */
function headOf(layout: Layout): string {
  if (typeof layout === "string") return layout;
  if (isPair(layout)) return layout.key;
  if (isGroup(layout)) return layout.open;
  return headOf(layout[0] ?? "");
}

function broken({ open, items, close }: Group, { style, depth }: Place): string {
  if (items.length === 0) return `${open}${close}`;
  const margin = " ".repeat(style.indent * (depth + 1));
  const place = { style, depth: depth + 1, column: margin.length, tail: 1 };
  const lines = items.map((item) => `${margin}${render(item, place)},\n`);
  return `${open}\n${lines.join("")}${" ".repeat(style.indent * depth)}${close}`;
}

/** All items but the last one in the line of the bracket; undefined if they do not fit. */
function hugged({ open, items, close }: Group, place: Place): string | undefined {
  const last = items.at(-1);
  const others = items.slice(0, -1).map(flatOf);
  if (last === undefined || !isGroup(last) || last.items.length === 0) return undefined;
  if (others.some((other) => other === undefined)) return undefined;
  const head = `${open}${others.map((other) => `${other}, `).join("")}`;
  if (place.column + head.length + last.open.length > place.style.width) return undefined;
  return `${head}${broken(last, place)}${close}`;
}

/** The layout in one line; undefined if it must have more. */
function flatOf(layout: Layout): string | undefined {
  if (typeof layout === "string") return layout;
  if (isPair(layout)) return `${layout.key} ${layout.text}`;
  if (!isGroup(layout)) {
    const parts = layout.map(flatOf);
    return parts.includes(undefined) ? undefined : parts.join("");
  }
  const items = layout.items.map(flatOf);
  if ((layout.expanded && items.length > 0) || items.includes(undefined)) return undefined;
  const space = layout.space && items.length > 0 ? " " : "";
  return `${layout.open}${space}${items.join(", ")}${space}${layout.close}`;
}

function isGroup(layout: Layout): layout is Group {
  return typeof layout === "object" && "open" in layout;
}

function isPair(layout: Layout): layout is Pair {
  return typeof layout === "object" && "key" in layout;
}

function columnAfter(text: string, column: number): number {
  const line = text.lastIndexOf("\n");
  return line < 0 ? column + text.length : text.length - line - 1;
}
