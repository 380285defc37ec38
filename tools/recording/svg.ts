/** Renders a terminal's text as a picture. */

/** A part of a line between two changes of colour. */
interface Span {
  readonly tone: string;
  readonly text: string;
}

const [CHAR_WIDTH, LINE_HEIGHT, FONT_SIZE, MARGIN, BAR] = [8.1, 18, 13.5, 18, 34];
/** The SGR codes of ECMA-48 that the story uses. */
const TONES: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  36: "cyan",
};
const STYLE = [
  `text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d3d7de;white-space:pre}`,
  ".bold{font-weight:700;fill:#fff}.dim{fill:#8b93a1}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}.cyan{fill:#76e3ea}",
].join("");
const LIGHTS = ["#ff5f57", "#febc2e", "#28c840"];

/**
 * @param text lines with the colours of a terminal.
 * @param title text of the bar at the top, and of screen readers.
 */
export function terminalSvg(text: string, title: string): string {
  const lines = spansOf(text);
  const columns = Math.max(...lines.map((spans) => spans.reduce((sum, span) => sum + span.text.length, 0)));
  const width = Math.ceil(columns * CHAR_WIDTH + 2 * MARGIN);
  const height = BAR + lines.length * LINE_HEIGHT + MARGIN;
  const lights = LIGHTS.map((fill, index) => `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${fill}"/>`);
  const rows = lines.map((spans, index) => row(spans, BAR + (index + 1) * LINE_HEIGHT));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#161a22"/>`,
    ...lights,
    `<text x="${width / 2}" y="22" text-anchor="middle" class="dim">${escaped(title)}</text>`,
    ...rows.filter((line) => line !== ""),
    "</svg>",
    "",
  ].join("\n");
}

/** Each span has its own position, so that columns are aligned in any font. */
function row(spans: readonly Span[], y: number): string {
  let column = 0;
  const parts = spans.map(({ tone, text }) => {
    const x = (MARGIN + column * CHAR_WIDTH).toFixed(1);
    column += text.length;
    const length = `textLength="${(text.length * CHAR_WIDTH).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
    const colour = tone === "" ? "" : ` class="${tone}"`;
    return text.trim() === ""
      ? ""
      : `<text x="${x}" y="${y}" ${length}${colour} xml:space="preserve">${escaped(text)}</text>`;
  });
  return parts.join("");
}

function spansOf(text: string): readonly (readonly Span[])[] {
  let tone = "";
  return text.split("\n").map((line) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals use this character for colours
    const parts = line.split(/\u001b\[(\d+)m/);
    return parts.flatMap((part, index) => {
      if (index % 2 === 0) return part === "" ? [] : [{ tone, text: part }];
      tone = TONES[part] ?? "";
      return [];
    });
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
