/** A package with a newer release. */
export interface Outdated {
  readonly name: string;
  readonly current: string;
  readonly latest: string;
}

/** The changes of an upgrade of the table of versions, and the upgrades that a person must decide. */
export interface Upgrade {
  readonly text: string;
  readonly upgraded: readonly Outdated[];
  readonly left: readonly string[];
}

/** Replaces each version by the newest release with the same major version, and only reports other releases. */
export function upgradeVersions(text: string, outdated: readonly Outdated[]): Upgrade {
  const upgraded: Outdated[] = [];
  const left: string[] = [];
  let result = text;
  for (const one of outdated) {
    const problem = whyLeft(result, one);
    if (problem === undefined) {
      result = result.replace(`"${one.current}"`, `"${one.latest}"`);
      upgraded.push(one);
    } else left.push(`${one.name} ${one.current} -> ${one.latest}: ${problem}`);
  }
  return { text: result, upgraded, left };
}

function whyLeft(text: string, { current, latest }: Outdated): string | undefined {
  const places = text.split(`"${current}"`).length - 1;
  if (places !== 1) return `projenrc/versions.ts contains "${current}" ${places} times`;
  return compatible(current) === compatible(latest) ? undefined : "another major version";
}

/** The part of a version that compatible releases share; for 0.x, it includes the minor version. */
function compatible(version: string): string {
  const [major = "", minor = ""] = version.split(".");
  return major === "0" ? `0.${minor}` : major;
}
