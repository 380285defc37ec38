import type { SlimNode } from "../../../src/kube/cache/slim-objects.js";
import { NodeDirectory } from "../../../src/match/node-directory.js";
import { NOT_READY, readyCondition, slimNode } from "../../match/cluster.js";

/** The nodes of a `World`. */
export class WorldNodes {
  readonly directory = new NodeDirectory();
  readonly nodes = new Map<string, SlimNode>();

  /** `203.0.113.<n>` is the address of node `n<n>`. */
  addNode(name: string, more: Partial<SlimNode> = {}): void {
    const address = `203.0.113.${name.slice(1)}`;
    const addresses = [
      { type: "InternalIP", address: `10.0.0.${name.slice(1)}` },
      { type: "ExternalIP", address },
      { type: "ExternalIP", address: `2001:db8::${name.slice(1)}` },
    ];
    this.apply(slimNode(name, { labels: { pool: "game" }, addresses, ...more }));
  }

  setReady(name: string, ready: boolean): void {
    this.change(name, ready ? { conditions: [readyCondition("True")] } : NOT_READY);
  }

  change(name: string, more: Partial<SlimNode>): void {
    const node = this.nodes.get(name);
    if (node !== undefined) this.apply(Object.freeze({ ...node, ...more }));
  }

  removeNode(name: string): void {
    const node = this.nodes.get(name);
    if (node === undefined) return;
    this.nodes.delete(name);
    this.directory.apply({ type: "deleted", object: node });
  }

  private apply(node: SlimNode): void {
    const old = this.nodes.get(node.name);
    this.nodes.set(node.name, node);
    if (old === undefined) this.directory.apply({ type: "added", object: node });
    else this.directory.apply({ type: "updated", object: node, old });
  }
}
