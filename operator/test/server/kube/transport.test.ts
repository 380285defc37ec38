import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { isConflict, isNotFound, StatusError } from "../../../src/kube/client.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";

describe("transport on a real API server", () => {
  let plane: ControlPlane;
  let admin: Transport;
  before(async function () {
    plane = await controlPlaneOrSkip(this);
    admin = new Transport({ config: loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} }), env: {} });
  });
  after(() => admin?.close());

  const path = "/api/v1/namespaces/default/configmaps";
  const errorOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.fail("did not reject"),
      (error: unknown) => error,
    );

  it("takes the testbed's kubeconfig, authority and token", async () => {
    expect(await admin.request<{ gitVersion: string }>({ method: "GET", path: "/version" })).to.have.property(
      "gitVersion",
    );
  });

  it("knows the server's refusals apart", async () => {
    expect(isNotFound(await errorOf(admin.request({ method: "GET", path: `${path}/nowhere` })))).to.equal(true);
    const body = { metadata: { name: `twice-${process.pid}` } };
    await admin.request({ method: "POST", path, body });
    const twice = await errorOf(admin.request({ method: "POST", path, body }));
    expect([isConflict(twice), (twice as StatusError).reason]).to.deep.equal([true, "AlreadyExists"]);
    await admin.request({ method: "DELETE", path: `${path}/${body.metadata.name}` });
    const invalid = await errorOf(admin.request({ method: "POST", path, body: { metadata: { name: "Not A Name" } } }));
    expect(invalid).to.include({ code: 422, reason: "Invalid" });
  });

  it("gets the metadata alone where nothing else is needed", async () => {
    const name = `bare-${process.pid}`;
    await admin.request({ method: "POST", path, body: { metadata: { name }, data: { large: "x".repeat(1_000) } } });
    const found = await admin.request<object>({ method: "GET", path: `${path}/${name}`, metadataOnly: true });
    expect(found).to.include({ kind: "PartialObjectMetadata" }).and.not.have.property("data");
    await admin.request({ method: "DELETE", path: `${path}/${name}` });
  });

  it("says who is forbidden what, and that a token is not known", async () => {
    const config = loadClusterConfig({ kubeconfig: await plane.kubeconfig("test-user-0"), env: {} });
    const user = new Transport({ config, env: {} });
    const forbidden = await errorOf(user.request({ method: "GET", path }));
    expect(forbidden).to.include({ code: 403, reason: "Forbidden" });
    expect(String(forbidden)).to.include('User "test-user-0" cannot list resource "configmaps"');
    await user.close();
    const stranger = new Transport({
      config: { ...config, auth: { kind: "token", token: { data: "wrong" } } },
      env: {},
    });
    expect(await errorOf(stranger.request({ method: "GET", path })))
      .to.be.instanceOf(StatusError)
      .and.include({ code: 401 });
    await stranger.close();
  });
});
