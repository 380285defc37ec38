/** A heading with its text, up to the next heading. */
interface Block {
  readonly level: number;
  readonly anchor: string;
  readonly text: string;
}

/** Members that every construct inherits from the constructs library, which has its own reference. */
const INHERITED = /\.(toString|with|isConstruct|property\.node)"/;
const NOTE =
  "This page omits the members that every construct inherits: `node`, `toString`, `with` and `isConstruct`. See the reference of [constructs](https://github.com/aws/constructs/blob/10.x/API.md).";

/** The page of jsii-docgen without inherited members, and with a table of contents. */
export function shortened(page: string): string {
  const blocks = withoutInherited(page.split(/^(?=#{1,6} )/m).map(toBlock)).map(withoutRows);
  const [title, ...rest] = blocks.filter(({ text }) => !isEmptyTable(text));
  const contents = tableOfContents(rest);
  return [`${title?.text.trimEnd()}\n\n${NOTE}\n\n${contents}\n\n`, ...rest.map(({ text }) => text)].join("");
}

function toBlock(text: string): Block {
  const level = /^#*/.exec(text)?.[0].length ?? 0;
  return { level, anchor: /^.* id="([^"]*)"/.exec(text)?.[1] ?? "", text };
}

/** Drops the section of each inherited member, with the headings in it. */
function withoutInherited(blocks: readonly Block[]): readonly Block[] {
  let dropped = 0;
  return blocks.filter(({ level, anchor }) => {
    if (dropped === 0 || level <= dropped) dropped = INHERITED.test(`${anchor}"`) ? level : 0;
    return dropped === 0;
  });
}

function withoutRows(block: Block): Block {
  const lines = block.text.split("\n").filter((line) => !(line.startsWith("| <code>") && INHERITED.test(line)));
  return { ...block, text: lines.join("\n") };
}

/** A list of members that had only inherited ones. */
function isEmptyTable(text: string): boolean {
  return (
    /^#### (Methods|Static Functions|Properties) /.test(text) && /^\| --- /m.test(text) && !text.includes("| <code>")
  );
}

function tableOfContents(blocks: readonly Block[]): string {
  const parts: { readonly title: string; readonly types: string[] }[] = [];
  for (const { level, anchor, text } of blocks) {
    const link = `[${/^#+ ([^<]*?) </.exec(text)?.[1]}](#${anchor})`;
    if (level === 2) parts.push({ title: link, types: [] });
    if (level === 3) parts.at(-1)?.types.push(link);
  }
  return parts.map(({ title, types }) => `- ${title}: ${types.join(", ")}`).join("\n");
}
