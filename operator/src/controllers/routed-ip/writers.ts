/** One writer for each object of a kind that several write to, and the newest version that they know. */

import type { KubeClient } from "../../kube/client.js";
import type { KubeObject } from "../../kube/objects.js";
import { Newest } from "../newest.js";
import { ObjectWriter } from "../object-writer.js";

interface Entry<O extends KubeObject> {
  readonly newest: Newest<O>;
  readonly writer: ObjectWriter<O>;
}

export class Writers<O extends KubeObject> {
  private readonly entries = new Map<string, Entry<O>>();

  /** @param pathOf of an object by its key. */
  constructor(
    private readonly client: KubeClient,
    private readonly cached: (key: string) => O | undefined,
    private readonly pathOf: (key: string) => string,
  ) {}

  /** The newest version that is known; `undefined`: it is gone. */
  get(key: string): O | undefined {
    const cached = this.cached(key);
    if (cached === undefined) this.entries.delete(key);
    return this.entries.get(key)?.newest.of(cached) ?? cached;
  }

  of(key: string): ObjectWriter<O> {
    const known = this.entries.get(key);
    if (known !== undefined) return known.writer;
    const newest = new Newest<O>();
    const { client, pathOf, cached } = this;
    const props = { client, path: pathOf(key), newest, cached: () => cached(key), onWrite: () => undefined };
    const writer = new ObjectWriter<O>(props);
    this.entries.set(key, { newest, writer });
    return writer;
  }
}
