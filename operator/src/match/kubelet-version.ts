/** Which of two kubelets is newer. */

/**
 * Below 0: `a` is newer. Numbers count as numbers, a pre-release is older than its release, and a vendor's build number
 * (`-gke.1014001`, `+k3s2`) decides last. What is no version is older than any. A vendor's hash says nothing.
 */
export function newerFirst(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [versionKey(a), versionKey(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (right[at] ?? -1) - (left[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;
const STAGES = ["alpha", "beta", "rc"];
const RELEASED = STAGES.length;

/** Numbers that compare one after the other. */
function versionKey(version: string): readonly number[] {
  const [, major, minor, patch = "0", suffix = "", build = ""] = VERSION.exec(version) ?? [];
  if (major === undefined || minor === undefined) return [];
  const identifiers = suffix === "" ? [] : suffix.split(/[.-]/);
  const stage = STAGES.indexOf(identifiers[0] ?? "");
  return [
    ...[major, minor, patch].map(Number),
    stage < 0 ? RELEASED : stage,
    ...identifiers.filter((identifier) => /^\d+$/.test(identifier)).map(Number),
    ...build.split(/[.-]/).flatMap((identifier) => /\d+$/.exec(identifier)?.map(Number) ?? []),
  ];
}
