/** `flipop status`: all resources at a glance. */

import { ALL_KINDS, type AnyKind } from "cdk8s-flipop/api";
import { untilAbort } from "../async.js";
import { EXIT, INTERRUPTED } from "../exit.js";
import { SharedWatches } from "../kube/cache/shared-watches.js";
import { type WholeObject, wholeObjects } from "../kube/cache/slim-objects.js";
import type { StoreEvent } from "../kube/cache/store.js";
import type { Lease } from "../kube/write/lease.js";
import { type Cluster, withCluster } from "./cluster.js";
import { type CommandCall, CommandError, textOption } from "./command.js";
import { LEASES, leaderlessText } from "./doctor/leases.js";
import { type KindRead, kindPath, listAll, type OwnObject, readKinds, unlessRefused } from "./list-objects.js";
import { cellsOf, rowOf, type StatusRow, statusTable, summaryText } from "./render/status.js";
import { dataText, fitted, tableText, withoutMiddle } from "./render/table.js";

export function run(call: CommandCall): Promise<number> {
  return withCluster(call, async (cluster) => {
    const namespace = call.options["allNamespaces"] === true ? undefined : textOption(call, "namespace");
    const [reads, leases] = await Promise.all([
      readKinds(cluster.client, call.io.stop, { namespace }),
      unlessRefused(listAll<Lease>(cluster.client, LEASES, call.io.stop)),
    ]);
    for (const { kind, problem } of reads) {
      if (problem !== undefined) call.io.err(`flipop: ${kind.plural} are not shown: ${problem}\n`);
    }
    if (reads.every(isUnread)) throw new CommandError(unreadText(namespace));
    const shown = { reads, rows: rowsOf(reads), namespace };
    print(call, shown);
    reportEmpty(call, shown);
    const leaderless = leases && leaderlessText(leases, call.io.now());
    if (leaderless !== undefined) call.io.err(`flipop: ${leaderless}\n`);
    if (call.options["watch"] !== true) return EXIT.ok;
    await watch(call, cluster, shown);
    return INTERRUPTED;
  });
}

function isUnread({ problem }: KindRead): boolean {
  return problem !== undefined;
}

function unreadText(namespace: string | undefined): string {
  const narrower = namespace === undefined ? "name a namespace that you may read with -n, or " : "";
  return `none of flipop's kinds can be read: ${narrower}ask the cluster's administrator for ClusterRole "flipop-view"`;
}

function rowsOf(reads: readonly KindRead[]): readonly StatusRow[] {
  return reads.flatMap(({ kind, objects }) => objects.map((object) => rowOf(kind, object)));
}

function print({ io, ...call }: CommandCall, { rows, ...found }: Shown): void {
  const format = textOption(call, "output");
  if (format === "json" || format === "yaml") {
    // A list would have another form than the changes that follow.
    if (call.options["watch"] === true) for (const row of rows) printChange({ io, ...call }, row, false);
    else io.out(dataText(rows, format));
    return;
  }
  const wide = format === "wide";
  const width = io.terminal && !wide ? io.width : Number.POSITIVE_INFINITY;
  // A long name leaves half of the width to the other columns.
  const shown = rows.map((row) => ({ ...row, name: withoutMiddle(row.name, Math.floor(width / 2)) }));
  io.out(rows.length === 0 ? "" : fitted(statusTable(shown, { wide, now: io.now() }), width));
  if (rows.length === 0) io.err(`flipop: ${emptyText(found)}\n`);
  else if (io.terminal) io.err(`${summaryText(rows)}\n`);
}

function emptyText({ reads, namespace }: Omit<Shown, "rows">): string {
  if (reads.some(isUnread)) return "the kinds that can be read have no resources here";
  return namespace === undefined ? "there are no resources of flipop here" : noneIn(namespace);
}

function noneIn(namespace: string): string {
  return `namespace ${namespace} has no resources of flipop, or does not exist`;
}

/** A kind that was not read may have some. Classes have no namespace, so a list of them may be that of a mistyped one. */
function reportEmpty({ io }: CommandCall, { reads, rows, namespace }: Shown): void {
  if (namespace === undefined || rows.length === 0 || reads.some(isUnread)) return;
  if (rows.some((row) => row.namespace === namespace)) return;
  io.err(`flipop: ${noneIn(namespace)}\n`);
}

interface Shown {
  readonly reads: readonly KindRead[];
  readonly rows: readonly StatusRow[];
  readonly namespace: string | undefined;
}

/** Prints a resource again when its row changes, until a signal ends the process. */
async function watch(call: CommandCall, { client }: Cluster, { reads, rows, namespace }: Shown): Promise<void> {
  const shown = new Map(rows.map((row) => [keyOf(row), JSON.stringify(row)]));
  const watches = new SharedWatches({ client, nodeAnnotationPrefixes: [] });
  const changed = (kind: AnyKind, { type, object }: StoreEvent<WholeObject>) => {
    const row = rowOf(kind, object.object as OwnObject);
    const text = type === "deleted" ? "" : JSON.stringify(row);
    if (shown.get(keyOf(row)) === text) return;
    if (type === "deleted") shown.delete(keyOf(row));
    else shown.set(keyOf(row), text);
    printChange(call, row, type === "deleted");
  };
  for (const kind of ALL_KINDS.filter(({ kind }) => reads.some((read) => read.kind.kind === kind && !read.problem))) {
    const cache = watches.kind(kind.plural, kindPath(kind, namespace), wholeObjects());
    cache.store.listen((event) => changed(kind, event));
  }
  await untilAbort(call.io.stop);
  await watches.stop();
}

function printChange({ io, ...call }: CommandCall, row: StatusRow, deleted: boolean): void {
  const format = textOption(call, "output");
  if (format === "json") io.out(`${JSON.stringify({ ...row, deleted })}\n`);
  else if (format === "yaml") io.out(`---\n${dataText({ ...row, deleted }, "yaml")}`);
  else {
    const cells = cellsOf(row, format === "wide", io.now());
    io.out(tableText([deleted ? [...cells.slice(0, -1), "deleted"] : cells]));
  }
}

function keyOf({ kind, namespace, name }: StatusRow): string {
  return `${kind}/${namespace}/${name}`;
}
