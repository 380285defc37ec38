/** The kinds that the operator reads in protobuf. */

import { ByteInterner } from "./byte-interner.js";
import { ObjectDecoder } from "./decoder.js";
import { ENDPOINT_SLICE } from "./kinds/endpoint-slice.js";
import { node } from "./kinds/node.js";
import { POD } from "./kinds/pod.js";
import { SERVICE } from "./kinds/service.js";

/** One for all watches of a server: pods, nodes and slices repeat each other's names. */
export class Decoders {
  private readonly interner = new ByteInterner();
  readonly nodes: ObjectDecoder;
  readonly pods = new ObjectDecoder(POD, this.interner);
  private readonly kinds: Readonly<Record<string, ObjectDecoder>> = {
    services: new ObjectDecoder(SERVICE, this.interner),
    endpointslices: new ObjectDecoder(ENDPOINT_SLICE, this.interner),
  };

  /** @param nodeAnnotations prefixes of those that are read. */
  constructor(nodeAnnotations: readonly string[]) {
    this.nodes = new ObjectDecoder(node(nodeAnnotations), this.interner);
  }

  /** Of a kind of which the operator reads few fields, by the name of its watch; `undefined`: JSON. */
  of(name: string): ObjectDecoder | undefined {
    return Object.hasOwn(this.kinds, name) ? this.kinds[name] : undefined;
  }
}
