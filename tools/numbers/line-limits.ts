/**
 * The most lines of each part of the code: its size when the limit was set, with some room for fixes. A file counts to the
 * longest folder of this list that contains it. docs/adr/0018-size-of-the-operator.md gives the reasons; a change of a limit is
 * a decision that the commit explains.
 */
export const MOST_LINES_OF_AN_AREA: Readonly<Record<string, number>> = {
  "operator/src/addresses": 6_190,
  "operator/src/claims": 1_310,
  "operator/src/commands": 7_250,
  "operator/src/controllers/cluster-routed-ip-class": 600,
  "operator/src/controllers/floating-ip-pool": 2_810,
  "operator/src/controllers/node-annotations": 540,
  "operator/src/controllers/node-dns-record-set": 1_620,
  "operator/src/controllers/publications": 750,
  "operator/src/controllers/routed-ip": 7_150,
  "operator/src/controllers": 300,
  "operator/src/controllers/routed-ip-issuer": 830,
  "operator/src/health": 2_850,
  "operator/src/http": 450,
  "operator/src/inventory": 1_410,
  "operator/src/jobs": 1_050,
  "operator/src/kube": 5_750,
  "operator/src/limits": 500,
  "operator/src/match": 2_210,
  "operator/src/messages": 5_930,
  "operator/src/metrics": 900,
  "operator/src/providers": 7_310,
  "operator/src/publishing": 350,
  "operator/src/reconcile": 3_720,
  "operator/src/records": 2_560,
  "operator/src/routing": 4_310,
  "operator/src/runtime": 1_900,
  "operator/src": 2_060,
  "constructs/src": 19_050,
  "sandbox/src": 19_450,
  "testbed/src": 3_050,
  tools: 6_610,
  projenrc: 1_375,
};

/** The lines of each area; a file outside of all areas counts to the folder "no area". */
export function linesByArea(
  lines: ReadonlyMap<string, number>,
  areas: readonly string[] = Object.keys(MOST_LINES_OF_AN_AREA),
): ReadonlyMap<string, number> {
  const longestFirst = [...areas].sort((one, other) => other.length - one.length);
  const sums = new Map<string, number>();
  for (const [file, count] of lines) {
    const area = longestFirst.find((folder) => file.startsWith(`${folder}/`)) ?? "no area";
    sums.set(area, (sums.get(area) ?? 0) + count);
  }
  return sums;
}
