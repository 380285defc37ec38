/** The kinds that the operator reads in protobuf. */

import { ByteInterner } from "./byte-interner.js";
import { ObjectDecoder } from "./decoder.js";
import { ENDPOINT_SLICE } from "./kinds/endpoint-slice.js";
import { node } from "./kinds/node.js";
import { POD } from "./kinds/pod.js";
import { service } from "./kinds/service.js";

/** One for all watches of a server: pods, nodes and slices repeat each other's names. */
export class Decoders {
  readonly nodes: ObjectDecoder;
  readonly pods: ObjectDecoder;
  private readonly kinds: Readonly<Record<string, ObjectDecoder>>;

  /** @param annotations prefixes of those that are read of nodes and Services. */
  constructor(annotations: readonly string[]) {
    const interner = new ByteInterner();
    this.nodes = new ObjectDecoder(node(annotations), interner);
    this.pods = new ObjectDecoder(POD, interner);
    this.kinds = {
      services: new ObjectDecoder(service(annotations), interner),
      endpointslices: new ObjectDecoder(ENDPOINT_SLICE, interner),
    };
  }

  /** Of a kind of which the operator reads few fields, by the name of its watch; `undefined`: JSON. */
  of(name: string): ObjectDecoder | undefined {
    return Object.hasOwn(this.kinds, name) ? this.kinds[name] : undefined;
  }
}
