/** One record set in this process: what it watches, and what it remembers beside the status. */

import type { NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import type { ResourceRef } from "../../inventory/types.js";
import { keyOf } from "../../kube/objects.js";
import type { VerdictChange } from "../../match/match-index.js";
import { OwnSeries } from "../../metrics/series.js";
import type { CleanupMemory } from "../cleanup.js";
import type { ControllerContext } from "../context.js";
import { MatchFollower } from "../match-follower.js";
import { Newest } from "../newest.js";
import { ObjectWriter } from "../object-writer.js";
import { resourcePath } from "../own-resources.js";
import { sameAddresses } from "./node-addresses.js";
import { KIND, PLURAL, type RecordSetObject, type ResourceRead, readResource } from "./resource.js";
import { wishOf } from "./wish.js";

export interface UnitProps {
  readonly context: ControllerContext;
  /** As the cache has it. */
  readonly cached: () => RecordSetObject | undefined;
  /** Asks for a run. */
  readonly onChange: () => void;
  /** Each new version, as soon as it is known. */
  readonly onWrite: (object: RecordSetObject) => void;
}

/** Status fields that are known better than the stored status has them. */
export type Overlay = { readonly [K in keyof NodeDNSRecordSetStatus]?: NodeDNSRecordSetStatus[K] | undefined };

export class RecordSetUnit {
  readonly ref: ResourceRef;
  readonly key: string;
  readonly match: MatchFollower;
  readonly writer: ObjectWriter<RecordSetObject>;
  cleanup: CleanupMemory = { attempts: 0 };
  /** Since when no node has had the labels, ms since the epoch. */
  noNodeSince: number | undefined;
  overlay: Overlay = {};
  /** The server drops fields of ours: the CRD is an older one. When that was last seen, ms since the epoch. */
  droppedAt: number | undefined;
  readonly series = new OwnSeries();
  private readonly newest = new Newest<RecordSetObject>();

  constructor(
    private readonly props: UnitProps,
    { metadata }: RecordSetObject,
  ) {
    const { context, cached, onWrite } = props;
    const { namespace = "", name, uid } = metadata;
    this.ref = { kind: KIND, namespace, name, uid };
    this.key = keyOf({ namespace, name });
    const onChange = (change: VerdictChange | "rematched") => this.nodeChanged(change);
    this.match = new MatchFollower({ context, resource: `${KIND} ${this.key}`, onChange });
    this.writer = new ObjectWriter({
      client: context.client,
      path: resourcePath(PLURAL, metadata),
      newest: this.newest,
      cached: () => this.own(cached()),
      onWrite,
    });
  }

  /** As of now, with what this process knows better. `undefined`: it is gone, or another object bears its name. */
  read(): ResourceRead | undefined {
    const object = this.newest.of(this.own(this.props.cached()));
    if (object === undefined) return undefined;
    const read = readResource(object);
    const known = Object.entries({ ...read.resource.status, ...this.overlay });
    const status = Object.fromEntries(known.filter(([, value]) => value !== undefined));
    return { ...read, resource: { ...read.resource, status } };
  }

  /** Follows `spec.match`, once that can be read. */
  follow({ resource, problem }: ResourceRead): void {
    if (problem === undefined && this.match.follow(resource.spec.match)) this.noNodeSince = undefined;
  }

  async close(): Promise<void> {
    this.series.clear();
    await this.match.close();
  }

  /** A node that matches as before, and whose address is the same, changes nothing. */
  private nodeChanged(change: VerdictChange | "rematched"): void {
    if (change === "rematched" || change.what === "verdict" || !this.isSameAddress(change)) this.props.onChange();
  }

  private isSameAddress({ before, after }: VerdictChange): boolean {
    const wish = wishOf(this.read()?.resource.spec ?? {});
    if (before === undefined || after === undefined || wish === undefined) return false;
    return sameAddresses(before.node, after.node, wish);
  }

  private own(object: RecordSetObject | undefined): RecordSetObject | undefined {
    return object?.metadata.uid === this.ref.uid ? object : undefined;
  }
}
