import { type KubeClient, type KubeRequest, StatusError } from "../../../src/kube/client.js";

/** Any object of the API; only its version matters here. */
export interface StoredObject {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
  readonly [field: string]: unknown;
}

/** As much of an API server as leases and events need: create, get, optimistic replace, merge patch, delete. */
export class MemoryKube implements KubeClient {
  readonly objects = new Map<string, StoredObject>();
  readonly requests: KubeRequest[] = [];
  /** Called before each request; what it throws is the answer. */
  fault: (request: KubeRequest) => void = () => undefined;
  /** Called after each request has taken effect; what it throws is the answer, as when an answer is lost. */
  lose: (request: KubeRequest) => void = () => undefined;
  private version = 0;

  async request<T>(request: KubeRequest): Promise<T> {
    this.requests.push(request);
    this.fault(request);
    const answer = this.apply(request);
    this.lose(request);
    return answer as T;
  }

  async open(): Promise<never> {
    throw new Error("this fake has no watches");
  }

  /** Takes effect at once. Throws StatusError as the API server would answer. */
  apply({ method, path, body }: KubeRequest): StoredObject {
    const sent = (body ?? {}) as StoredObject;
    if (method === "POST") return this.create(`${path}/${sent.metadata?.name}`, sent);
    const found = this.objects.get(path);
    if (found === undefined) throw status(404, "NotFound");
    if (method === "DELETE") this.objects.delete(path);
    if (method === "GET" || method === "DELETE") return found;
    return method === "PATCH" ? this.patch(path, found, sent) : this.replace(path, found, sent);
  }

  of(method: KubeRequest["method"]): readonly KubeRequest[] {
    return this.requests.filter((request) => request.method === method);
  }

  private patch(path: string, found: StoredObject, sent: StoredObject): StoredObject {
    return this.store(path, { ...found, ...sent, metadata: { ...found.metadata } });
  }

  private replace(path: string, found: StoredObject, sent: StoredObject): StoredObject {
    if (sent.metadata?.resourceVersion !== found.metadata?.resourceVersion) throw status(409, "Conflict");
    return this.store(path, sent);
  }

  private create(path: string, sent: StoredObject): StoredObject {
    if (this.objects.has(path)) throw status(409, "AlreadyExists");
    return this.store(path, sent);
  }

  private store(path: string, object: StoredObject): StoredObject {
    this.version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.version) } };
    this.objects.set(path, stored);
    return stored;
  }
}

export function status(code: number, reason: string, causes: readonly string[] = []): StatusError {
  const details = { causes: causes.map((cause) => ({ reason: cause })) };
  return new StatusError({ code, reason, message: `${code} ${reason}`, details });
}
