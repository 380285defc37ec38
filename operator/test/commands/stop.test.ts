import { Annotation, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { Flipop } from "./flipop.js";

const LEASE = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "ops", name: LEASE_NAME };

describe("flipop stop and resume", () => {
  let kubernetes: Emulator;
  let flipop: Flipop;

  before(async () => {
    kubernetes = await startEmulator();
    flipop = new Flipop(kubernetes.kubeconfig());
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "ops" } });
    const metadata = { name: LEASE_NAME, namespace: "ops", annotations: { other: "stays" } };
    kubernetes.create({ ...LEASE, metadata, spec: { holderIdentity: "flipop-1" } });
  });

  after(async () => {
    flipop.close();
    await kubernetes.close();
  });

  const annotations = () => kubernetes.get(LEASE)?.metadata.annotations;

  it("writes the reason to the Lease, and nothing else", async () => {
    const { code, out, err } = await flipop.run("stop", "until 14:00", "-n", "ops");
    expect({ code, out }).to.deep.equal({
      code: 0,
      out: "stopped: the operator changes no cloud and no DNS (leader: flipop-1)\n",
    });
    expect(err).to.equal("flipop: it stays stopped, also after a restart, until: flipop resume -n ops\n");
    const { [Annotation.stop]: stop, ...others } = annotations() ?? {};
    expect(stop).to.match(/^until 14:00; since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(others).to.deep.equal({ other: "stays" });
  });

  it("removes it again, and says when there was nothing to resume", async () => {
    expect((await flipop.run("resume", "-n", "ops")).out).to.equal("resumed: the operator works again\n");
    expect(annotations()).to.deep.equal({ other: "stays" });
    const { code, out } = await flipop.run("resume", "-n", "ops");
    expect({ code, out }).to.deep.equal({ code: 0, out: "the operator was not stopped\n" });
  });

  it("says where to look without a Lease, and which right is missing, with code 1", async () => {
    for (const command of ["stop", "resume"]) {
      const { code, err } = await flipop.run(command);
      expect(code).to.equal(1);
      expect(err).to.match(/^flipop: namespace flipop has no Lease .*: name the operator's namespace with -n\n$/);
    }
    const reader = new Flipop(kubernetes.kubeconfig(kubernetes.addIdentity("reader", [])));
    const { code, err } = await reader.run("stop", "-n", "ops");
    expect(code).to.equal(1);
    expect(err).to.match(/forbidden: User "reader".*: stop and resume need the verbs get and patch for Lease/);
    reader.close();
  });
});
