import { at, listOf, objectOf, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { builtin, column, textColumn } from "./define-built-in.js";

/** EndpointSlices. They are written by tests and scenarios; nothing makes them from Services. */
export const endpointSlices = builtin({
  group: "discovery.k8s.io",
  plural: "endpointslices",
  kind: "EndpointSlice",
  generation: true,
  behaviour: { prepare },
  columns: [
    textColumn("AddressType", ["addressType"]),
    column(
      "Ports",
      (slice) =>
        listOf(slice.ports)
          .map((port) => at(port, "port") ?? "*")
          .join(",") || "<unset>",
    ),
    column("Endpoints", endpointsCell),
  ],
});

function prepare(slice: ApiObject): void {
  slice.endpoints = listOf(slice.endpoints);
  slice.ports = listOf(slice.ports).map((port) => ({ name: "", protocol: "TCP", ...objectOf(port) }));
}

function endpointsCell(slice: ApiObject): string {
  const addresses = listOf(slice.endpoints).flatMap((one) => listOf(at(one, "addresses")).map(textOf));
  return addresses.slice(0, 3).join(",") || "<unset>";
}
