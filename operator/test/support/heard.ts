import type { Store } from "../../src/kube/cache/store.js";
import { type Cached, jsonEqual, keyOf } from "../../src/kube/objects.js";

/** What a listener holds that trusts every event. A store shows a new set at once, and emits its changes bit by bit. */
export class Heard<T extends Cached> {
  private readonly held = new Map<string, T>();

  constructor(private readonly store: Pick<Store<T>, "listen" | "size" | "list">) {
    store.listen(({ type, object }) => {
      if (type === "deleted") this.held.delete(keyOf(object));
      else this.held.set(keyOf(object), object);
    });
  }

  /** Whether all that the store shows has been emitted. */
  get isAll(): boolean {
    if (this.held.size !== this.store.size) return false;
    return [...this.store.list()].every((object) => jsonEqual(this.held.get(keyOf(object)), object));
  }
}
