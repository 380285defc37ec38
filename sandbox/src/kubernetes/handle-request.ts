import { ApiStatus, noSuchResource } from "./api-status.js";
import { type Attributes, allows, authenticate, authorize, authorizePath, type Identity } from "./authorization.js";
import { bodyText } from "./body-text.js";
import type { Cluster } from "./cluster.js";
import type { Reconciler } from "./controllers/write-reactions.js";
import { handleResource } from "./handle-resource.js";
import { at, type JsonObject, textOf } from "./json.js";
import {
  AGGREGATED,
  aggregated,
  apiVersions,
  groupInfo,
  groupList,
  resourceList,
  wantsAggregated,
} from "./output/discovery.js";
import { OPENAPI_V2, openApiDocument, openApiIndex, openApiV2 } from "./output/openapi.js";
import { asProtobuf, wantsProtobuf } from "./output/protobuf-answer.js";
import { jsonReply, plainReply, type Reply, statusReply, textReply } from "./reply.js";
import { type ApiRequest, type ResourceRequest, resourceRequest } from "./request.js";
import type { Registry } from "./resources/registry.js";
import { parseJson } from "./write/read-body.js";

/** Everything that requests are answered from. */
export interface Api {
  readonly cluster: Cluster;
  readonly identities: ReadonlyMap<string, Identity>;
  readonly reconciler: Reconciler;
}

/** Answers a request. Refusals are answers too; only a mistake of the emulator itself is thrown. */
export function handleRequest(api: Api, request: ApiRequest): Reply {
  try {
    const identity = authenticate(api.identities, request.headers.authorization);
    const reply = encoded(request, publicReply(request.path) ?? answer(api, request, identity));
    // What follows from a write is done before the next request, but after the answer was made.
    api.reconciler.settle();
    return reply;
  } catch (error) {
    if (error instanceof ApiStatus) return encoded(request, statusReply(error));
    throw error;
  }
}

/** In protobuf where the client asks for it and the answer has such a form. */
function encoded(request: ApiRequest, reply: Reply): Reply {
  return wantsProtobuf(request) ? asProtobuf(reply) : reply;
}

const VERSION = {
  major: "1",
  minor: "35",
  gitVersion: "v1.35.4",
  gitTreeState: "clean",
  platform: "linux/amd64",
};

function publicReply(path: string): Reply | undefined {
  if (["/healthz", "/livez", "/readyz"].includes(path)) return plainReply("ok");
  return path === "/version" || path === "/version/" ? jsonReply(VERSION) : undefined;
}

function answer(api: Api, request: ApiRequest, identity: Identity): Reply {
  const target = resourceRequest(request);
  if (!target) return answerPath(api, request, identity);
  if (isAccessReview(target)) return accessReview(request, identity);
  authorize(identity, attributesOf(target, request));
  const { group, version, plural } = target;
  const type = api.cluster.registry.find(group, version, plural);
  if (type) return handleResource({ cluster: api.cluster, type, target, request });
  if (api.cluster.registry.versions(group).includes(version)) throw noSuchResource();
  return plainReply("404 page not found\n", 404);
}

/** A list or watch of one name is a request for that name, as rules with `resourceNames` see it. */
const ONE_NAME = /^metadata\.name==?([^,=!]+)$/;

function attributesOf(
  { verb, group, plural, namespace, name, subresource }: ResourceRequest,
  { query }: ApiRequest,
): Attributes {
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const selected = name ?? ONE_NAME.exec(query.get("fieldSelector") ?? "")?.[1];
  return { verb, group, resource, namespace, name: selected };
}

/** Discovery and documentation. */
function answerPath({ cluster }: Api, { path, method, headers }: ApiRequest, identity: Identity): Reply {
  authorizePath(identity, method.toLowerCase(), path);
  const { registry } = cluster;
  if ((path === "/api" || path === "/apis") && wantsAggregated(headers.accept ?? "")) {
    return jsonReply(aggregated(registry, path), { contentType: AGGREGATED });
  }
  if (path === "/openapi/v2" && headers.accept?.includes(OPENAPI_V2.asked)) {
    return textReply(openApiV2(), { contentType: OPENAPI_V2.answered });
  }
  const found = document(registry, path);
  return found ? jsonReply(found) : plainReply("404 page not found\n", 404);
}

const OPENAPI = "/openapi/v3";

function document(registry: Registry, path: string): JsonObject | undefined {
  if (path === "/api") return apiVersions();
  if (path === "/apis") return groupList(registry);
  if (path === OPENAPI) return openApiIndex(registry);
  if (path.startsWith(`${OPENAPI}/`)) return openApiDocument(registry, path.slice(OPENAPI.length + 1));
  const [, root, first = "", version] = path.split("/");
  if (root === "api") return resourceList(registry, "", first);
  if (root !== "apis") return undefined;
  return version === undefined ? groupInfo(registry, first) : resourceList(registry, first, version);
}

function isAccessReview({ group, plural, verb }: ResourceRequest): boolean {
  return group === "authorization.k8s.io" && plural === "selfsubjectaccessreviews" && verb === "create";
}

/** What `kubectl auth can-i` asks. */
function accessReview(request: ApiRequest, identity: Identity): Reply {
  const review = parseJson(bodyText(request), (why) => `the object provided is unrecognized: ${why}`);
  const text = (field: string) => textOf(at(review, "spec", "resourceAttributes", field));
  const resource = text("subresource") === "" ? text("resource") : `${text("resource")}/${text("subresource")}`;
  const namespace = text("namespace") || undefined;
  const allowed = allows(identity, {
    verb: text("verb"),
    group: text("group"),
    resource,
    namespace,
    name: text("name") || undefined,
  });
  const kind = { kind: "SelfSubjectAccessReview", apiVersion: "authorization.k8s.io/v1", metadata: {} };
  return jsonReply({ ...kind, spec: at(review, "spec"), status: { allowed } }, { code: 201 });
}
