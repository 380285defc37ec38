/** CHANGELOG.md: a section for each version, which people write, and below their text the list of its commits. */

const BEGIN = "<!-- `npm run changelog -- --write` generates this list. -->";
const END = "<!-- The end of the list. -->";

export interface Release {
  readonly version: string;
  /** As 2026-11-25. */
  readonly date: string;
  /** The list of the commits in Markdown; empty: the section gets no list. */
  readonly commits: string;
}

/** The changelog with the commits of a release: it keeps all that people wrote, and adds the section if there is none. */
export function withCommits(changelog: string, { version, date, commits }: Release): string {
  const list = commits.trim() === "" ? "" : `### Commits\n\n${BEGIN}\n\n${commits.trim()}\n\n${END}\n`;
  const { header, sections } = split(changelog);
  const existing = sections.find((section) => isOf(section, version));
  const section = `${withoutList(existing ?? `## ${version} (${date})`)}\n${list && `\n${list}`}`;
  const changed =
    existing === undefined ? [section, ...sections] : sections.map((one) => (one === existing ? section : one));
  return `${[header, ...changed].map((part) => part.trim()).join("\n\n")}\n`;
}

/** What people wrote about a version, and its commits. @throws Error without a section, and if it has no text beside the commits. */
export function sectionOf(changelog: string, version: string): string {
  const section = split(changelog).sections.find((one) => isOf(one, version));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (DATE)": add it`);
  const text = (part: string): string => part.split("\n").slice(1).join("\n").trim();
  if (text(withoutList(section)) === "")
    throw new Error(`CHANGELOG.md says nothing to users about ${version}: write it above the commits`);
  return text(section);
}

function split(changelog: string): { readonly header: string; readonly sections: readonly string[] } {
  const [header = "", ...sections] = changelog.split(/^(?=## )/m);
  return { header, sections };
}

function isOf(section: string, version: string): boolean {
  return section.startsWith(`## ${version} (`);
}

function withoutList(section: string): string {
  const [before = "", rest] = section.split(`### Commits\n\n${BEGIN}`);
  const after = rest?.split(END)[1] ?? "";
  return `${before.trim()}\n${after}`.trim();
}
