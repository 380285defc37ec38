import { parse as parseYaml } from "yaml";
import { badRequest } from "./api-status.js";
import { PROTOBUF, readProtobuf } from "./built-in/protobuf.js";
import type { ApiRequest } from "./request.js";

/** The body of a request as JSON text, whether it came as JSON, YAML or protobuf; throws 400 and 415. */
export function bodyText({ headers, body }: ApiRequest): string {
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  if (body.length === 0) return "";
  if (mediaType === PROTOBUF) return JSON.stringify(readProtobuf(body));
  return mediaType === "application/yaml" ? fromYaml(body.toString("utf8")) : body.toString("utf8");
}

function fromYaml(text: string): string {
  try {
    return JSON.stringify(parseYaml(text));
  } catch (error) {
    throw badRequest(`the body is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
