import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "./routed-world.js";

const NO_ADDRESSES =
  'provider "cloudflare" of RoutedIPIssuer default/do has no IPv4 addresses; fix: have the author of RoutedIPIssuer default/do set spec.provider to digitalocean';

const SECRET = { apiVersion: "v1", kind: "Secret" };

describe("operator in process: an issuer that cannot be used", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  function message(name: string, type: string, kind?: string): string | undefined {
    const { conditions = [] } = (made.object(name, kind)?.["status"] ?? {}) as ReturnType<RoutedWorld["status"]>;
    return conditions.find((condition) => condition.type === type)?.message;
  }

  function retype(provider: string): void {
    made.world.kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), provider },
    }));
  }

  async function expectUnusable(...[name, reason, kind]: readonly [string, string, string?]): Promise<void> {
    await made.until(`${name} stalled`, () => made.condition(name, "Stalled", kind) === `True/${reason}`);
    expect(made.condition(name, "Ready", kind)).to.equal(`False/${reason}`);
  }

  for (const from of ["the operator", "a Secret"]) {
    it(`reports a provider without addresses, with a token of ${from}`, async () => {
      made = await RoutedWorld.create(["n1"], {
        flags: { "issuer-namespaces": "default", namespace: "default" },
        env: { CLOUDFLARE_TOKEN: "t".repeat(40) },
      });
      const data = { CLOUDFLARE_TOKEN: Buffer.from("t".repeat(40)).toString("base64") };
      made.world.kubernetes.create({
        ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "cf", namespace: "default" }, data },
      });
      const secret = from === "a Secret" ? { credentialsSecretRef: { name: "cf" } } : {};
      made.addIssuer({ provider: "cloudflare", ...secret });
      made.addRouted("a");
      made.addRouted("b", { routedIP: "203.0.113.7" });
      made.serve({ node: "n1" });
      made.world.start();
      await expectUnusable("do", "Unsupported", "RoutedIPIssuer");
      expect(message("do", "Ready", "RoutedIPIssuer")).to.equal(NO_ADDRESSES);
      for (const name of ["a", "b"]) {
        await expectUnusable(name, "Unsupported");
        expect(message(name, "Ready")).to.equal(NO_ADDRESSES);
      }
    });
  }

  it("names the issuer in a RoutedIP where the operator has no token, and the provider has no addresses", async () => {
    made = await RoutedWorld.create(["n1"], { flags: { "issuer-namespaces": "default", namespace: "default" } });
    made.addIssuer({ provider: "cloudflare" });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await expectUnusable("a", "UnknownProvider");
    expect(message("a", "Ready")).to.equal(NO_ADDRESSES.replace("IPv4 ", ""));
  });

  it("names the right that the operator lacks where it may not read the Secret, and works when it has the right", async () => {
    made = await RoutedWorld.create(["n1"], { flags: { "issuer-namespaces": "default" } });
    const { kubernetes } = made.world;
    const data = { token: Buffer.from(made.world.digitalocean.token).toString("base64") };
    kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "default" }, data });
    kubernetes.setFaults(({ path }) => (path.includes("/secrets") ? { kind: "status", code: 403 } : undefined));
    made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" } });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    for (const [name, kind] of [["do", "RoutedIPIssuer"], ["a"]] as const) {
      await expectUnusable(name, "NamespaceNotAllowed", kind);
      expect(message(name, "Ready", kind)).to.include("the operator may not read Secrets in namespace default");
    }
    kubernetes.setFaults(() => undefined);
    await made.ready("a");
  });

  it("creates no address in a region without nodes, although no node is known to serve it yet", async () => {
    made = await RoutedWorld.create(["n1"], { flags: { "issuer-namespaces": "default" } });
    made.world.kubernetes.change({ apiVersion: "v1", kind: "Node", name: "n1" }, (object) => ({
      ...object,
      metadata: { ...(object["metadata"] as object), labels: { "topology.kubernetes.io/region": "ams3" } },
    }));
    made.addIssuer({ region: "nyc3" });
    made.addRouted("a");
    made.world.start();
    await made.until("it says why", () => made.condition("a", "Assigned") === "False/WrongRegion");
    expect(made.status("a").routedIP).to.equal(undefined);
  });

  const secret = (token: string) => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "default" } },
    data: { DIGITALOCEAN_ACCESS_TOKEN: Buffer.from(token).toString("base64") },
  });
  const PUBLIC = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "public" };
  const CLASS_SPEC = { issuerRef: { name: "do", namespace: "default" }, allowedNamespaces: ["default"] };

  /** One RoutedIP of a class, whose issuer has a Secret, on n1. */
  async function activeOnFirst() {
    made = await RoutedWorld.create(["n1", "n2"], { flags: { "issuer-namespaces": "default" } });
    const { kubernetes, digitalocean } = made.world;
    kubernetes.create(secret(digitalocean.token));
    const credentialsSecretRef = { name: "do", key: "DIGITALOCEAN_ACCESS_TOKEN" };
    made.addIssuer({ credentialsSecretRef, routedIPFirewallName: undefined });
    kubernetes.create({ ...PUBLIC, metadata: { name: PUBLIC.name }, spec: CLASS_SPEC });
    made.addRouted("a", { className: PUBLIC.name });
    made.serve({ node: "n1" });
    const running = made.world.start();
    await made.ready("a", 20_000);
    return { kubernetes, running };
  }

  function failFirst(): void {
    made.world.setReady("n1", false);
    made.serve({ node: "n2" });
  }

  it("does not matter for the moves of an address when the class no longer allows the namespace, which Accepted says", async () => {
    const { kubernetes } = await activeOnFirst();
    kubernetes.change(PUBLIC, (object) => ({ ...object, spec: { ...CLASS_SPEC, allowedNamespaces: ["other"] } }));
    await made.until("the remark", () => made.condition("a", "Accepted") === "True/NamespaceNotAllowed", 10_000);
    expect(made.condition("a", "Ready")).to.equal("True/NamespaceNotAllowed");
    failFirst();
    await made.until("the move", () => made.nodeOf("a") === "n2", 10_000);
    made.addRouted("b", { className: PUBLIC.name });
    await made.until("b is refused", () => made.condition("b", "Accepted") === "False/NamespaceNotAllowed", 10_000);
  });

  it("leaves an address at work with the last token while the Secret is missing, which Accepted says", async () => {
    const { kubernetes, running } = await activeOnFirst();
    const stored = secret(made.world.digitalocean.token);
    kubernetes.delete({ ...SECRET, ...stored.metadata });
    await made.until("the remark", () => made.condition("a", "Accepted") === "True/SecretNotFound", 10_000);
    expect(message("a", "Accepted")).to.include("Secret default/do does not exist");
    failFirst();
    await made.until("the move", () => made.nodeOf("a") === "n2", 10_000);
    kubernetes.create(stored);
    await made.until("no remark", () => made.condition("a", "Accepted") === "True/Observed", 10_000);
    await running.stop();
  });

  const unusable: readonly (readonly [what: string, reason: string, make: () => void])[] = [
    [
      "its Secret is missing",
      "SecretNotFound",
      () => made.world.kubernetes.delete({ ...secret("").metadata, ...SECRET }),
    ],
    ["its provider is mistyped", "UnknownProvider", () => retype("digitalocaen")],
  ];
  for (const [what, reason, make] of unusable) {
    it(`makes no secret of a holder that fails while ${what}: the address is not active, and Assigned names the holder`, async () => {
      const { running } = await activeOnFirst();
      await running.stop();
      make();
      made.world.start();
      await made.until("the problem", () => made.condition("a", "Assigned") === `False/${reason}`, 10_000);
      expect(made.status("a").state, "while the holder serves").to.equal("active");
      failFirst();
      await made.until("the state", () => made.status("a").state === "no-match", 10_000);
      expect(message("a", "Assigned")).to.include("n1 (NodeNotReady");
      made.world.setReady("n1", true);
      made.serve({ node: "n1" });
      await made.until("the holder serves again", () => made.status("a").state === "active", 10_000);
    });
  }

  it("shows the problem of an issuer in the class that names it, until it is solved", async () => {
    made = await RoutedWorld.create(["n1"], { flags: { "issuer-namespaces": "default" } });
    const { kubernetes, digitalocean } = made.world;
    const secretRef = { apiVersion: "v1", kind: "Secret", name: "do", namespace: "default" };
    const put = (token: string) => {
      const metadata = { name: "do", namespace: "default" };
      const data = { DIGITALOCEAN_ACCESS_TOKEN: Buffer.from(token).toString("base64") };
      kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata, data });
    };
    const remove = () => kubernetes.delete(secretRef);
    const ref = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "public" };
    const ready = () => {
      const status = (kubernetes.get(ref)?.["status"] ?? {}) as ReturnType<RoutedWorld["status"]>;
      const found = status.conditions?.find(({ type }) => type === "Ready");
      return `${found?.status}/${found?.reason}`;
    };
    put(digitalocean.token);
    made.addIssuer({ credentialsSecretRef: { name: "do" } });
    kubernetes.create({
      ...{ apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name: ref.name } },
      spec: { issuerRef: { name: "do", namespace: "default" } },
    });
    made.world.start();
    await made.until("the class is ready", () => ready() === "True/Observed");
    remove();
    await made.until("the Secret is missing", () => ready() === "False/SecretNotFound");
    put("refused".repeat(8));
    await made.until("the token is refused", () => ready() === "False/Unauthorized");
    remove();
    put(digitalocean.token);
    await made.until("the class is ready again", () => ready() === "True/Observed");
  });
});
