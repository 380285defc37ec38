import { access, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type FakeNode } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { type JobClassOptions, jobClass, routedIP, type ScriptJob } from "./resources.js";
import { PLANE, RoutedRig } from "./rig.js";

/** Says a word to its end; `exit` and waits are up to the rest. */
const say = (words: string, more = ""): ScriptJob => ({
  script: `printf '%s' '${words}' > /dev/termination-log; ${more}`,
});
const NOTHING: ScriptJob = { script: "true" };
const HOUR_MS = 3_600_000;

describe("Jobs of a class on a real control plane", function () {
  this.timeout(180_000);
  let plane: ControlPlane;
  let rig: RoutedRig;
  let node: FakeNode;

  before(async function () {
    plane = await controlPlaneOrSkip(this, PLANE);
    rig = await RoutedRig.create(plane);
    node = await rig.addNode();
    await rig.addService();
    await rig.addPod(node);
    await rig.start();
  });

  after(() => rig?.close());

  /** A class, and a RoutedIP of the same name. Many may share the node. */
  const runActions = async (name: string, options: JobClassOptions, address?: string) => {
    await rig.add(jobClass(name, { perNodeIpLimit: 100, ...options }));
    await rig.add(routedIP(rig.names.team, name, { clusterClass: name }, address === undefined ? {} : { address }));
  };

  const end = async (name: string) => {
    await rig.delete("ClusterRoutedIPClass", name);
    await rig.delete("RoutedIP", name);
    await rig.isGone("RoutedIP", name);
    await rig.isGone("ClusterRoutedIPClass", name);
  };

  it("that fail are reported with their last output, cleaned up and tried again", async () => {
    const flag = `${plane.dir}/${rig.names.team}-fails`;
    await runActions(
      "fails",
      {
        assign: say(
          "quota exceeded",
          `mkdir '${flag}' && exit 3; while [ ! -e '${flag}-open' ]; do sleep 0.1; done; printf '' > /dev/termination-log`,
        ),
        firewall: NOTHING,
      },
      "192.0.2.1",
    );
    await rig.reports("fails", "JobFailed", "quota exceeded");
    for (const type of ["Ready", "Assigned"]) {
      expect(await rig.says("RoutedIP", "fails", `${type}=False/JobFailed`)).to.contain("quota exceeded");
    }
    await writeFile(`${flag}-open`, "");
    await rig.ready("fails");
    expect(await rig.status("fails")).not.to.have.any.keys("error", "reason", "retryAt");
    await rig.jobsAreGone("fails");
    expect((await rig.status("fails")).routedIP).to.equal("192.0.2.1");
    expect(await rig.events("fails", "JobFailed"), "one failure is one Event").to.have.length(1);
    await end("fails");
  });

  it("of the firewall that fail are in the status of every RoutedIP of the class, and delay no deletion", async () => {
    const flag = `${plane.dir}/${rig.names.team}-firewall`;
    const works = `[ -e '${flag}' ] || [ "$FIREWALL_RULES" = "[]" ]`;
    const firewall = say("no such firewall", `${works}`);
    await runActions("closed", { assign: NOTHING, firewall, firewallPostAllow: true }, "192.0.2.2");
    await rig.add(routedIP(rig.names.team, "other", { clusterClass: "closed" }, { address: "192.0.2.3" }));
    for (const name of ["closed", "other"]) {
      const message = await rig.says("RoutedIP", name, "FirewallReady=False/JobFailed");
      expect(message).to.contain("no such firewall").and.to.contain("class closed");
      await rig.says("RoutedIP", name, "Assigned=True");
    }
    await rig.reports("closed", "JobFailed", "no such firewall");
    await rig.delete("RoutedIP", "other");
    await rig.delete("RoutedIP", "closed");
    // The cleanup is one more Job of a class whose Jobs have failed: it waits for the back-off, and no longer.
    await rig.isGone("RoutedIP", "other");
    await rig.delete("ClusterRoutedIPClass", "closed");
    await rig.isGone("RoutedIP", "closed");
    await rig.isGone("ClusterRoutedIPClass", "closed");
  });

  it("that end well without an address are for a person: no second address is created", async () => {
    for (const [index, words] of ["", "no-address", '{"routedIP": "10.0.0.999"}'].entries()) {
      const name = `silent-${index}`;
      await runActions(name, { assign: say(words), firewall: NOTHING });
      await rig.reports(name, "AddressUnknown", words);
      await rig.says("RoutedIP", name, "Accepted=False/AddressUnknown");
      expect((await rig.status(name)).pendingCreation, "the intent stays on record").not.to.equal(undefined);
      await rig.jobsAreGone(name);
    }
    rig.clock.jump(HOUR_MS);
    await rig.client.must.patch(rig.pathOf("RoutedIP", "silent-0"), { metadata: { annotations: { touched: "1" } } });
    await rig.client.must.patch(rig.pathOf("RoutedIP", "silent-1"), { spec: { routedIP: "192.0.2.9" } });
    await rig.ready("silent-1");
    for (const name of ["silent-0", "silent-2"]) {
      await rig.says("RoutedIP", name, "Accepted=False/AddressUnknown");
      expect(await rig.jobs(name)).to.be.empty;
      expect(await rig.events(name, "AddressUnknown"), "one Job, one Event").to.have.length(1);
    }
    for (const index of [0, 1, 2]) await end(`silent-${index}`);
  });

  it("that never end are ended, and the address that they have reported is not created again", async () => {
    const assign = {
      script: `[ -n "$ROUTED_IP" ] || { printf '{"routedIP": "192.0.2.20"}' > /dev/termination-log; exec sleep 600; }`,
    };
    const [manifest] = jobClass("endless", { assign, firewall: NOTHING, perNodeIpLimit: 100 });
    const spec = manifest?.["spec"] as { readonly updateRoutedIP: object };
    const short = { ...spec, updateRoutedIP: { ...spec.updateRoutedIP, activeDeadlineSeconds: 2 } };
    await rig.add([{ ...(manifest as NonNullable<typeof manifest>), spec: short }]);
    await rig.add(routedIP(rig.names.team, "endless", { clusterClass: "endless" }));
    await rig.reports("endless", "JobFailed", "192.0.2.20");
    await rig.ready("endless");
    const { routedIP: ip, created } = await rig.status("endless");
    expect([ip, created]).to.deep.equal(["192.0.2.20", true]);
    await end("endless");
  });

  it("that never start are reported with the server's warning, and start once the cause is gone", async () => {
    const quota = `/api/v1/namespaces/${rig.names.jobs}/resourcequotas`;
    await rig.client.must.create(quota, { metadata: { name: "none" }, spec: { hard: { pods: "0" } } });
    await rig.until("the quota is in force", async () => {
      const { body } = await rig.client.get<{ status?: { hard?: object } }>(`${quota}/none`);
      return body.status?.hard !== undefined;
    });
    await runActions("stuck", { assign: NOTHING, firewall: NOTHING }, "192.0.2.30");
    await rig.until("a Job waits", async () => (await rig.jobs("stuck")).length === 1);
    await rig.until("the server warns", async () => {
      const path = `/apis/events.k8s.io/v1/namespaces/${rig.names.jobs}/events`;
      return (await rig.client.must.list<{ reason: string }>(path)).some(({ reason }) => reason === "FailedCreate");
    });
    // The server is asked now and then: the first answer may have come before its warning.
    await rig.until("the condition reports the warning", async () => {
      const message = await rig.says("RoutedIP", "stuck", "Accepted=False/JobRefused");
      return ["has not started", "FailedCreate", "exceeded quota"].every((part) => message.includes(part));
    });
    await rig.client.must.delete(`${quota}/none`);
    await rig.ready("stuck");
    await end("stuck");
  });

  it("that the server refuses are reported on the class, and tried again when it is changed", async () => {
    const [manifest] = jobClass("refused", { assign: NOTHING, firewall: NOTHING, perNodeIpLimit: 100 });
    const good = manifest as NonNullable<typeof manifest>;
    const template = { spec: { containers: [{ name: "Not A Name", image: "example.invalid/none" }] } };
    await rig.add([{ ...good, spec: { ...(good["spec"] as object), updateFirewall: { template } } }]);
    await rig.add(routedIP(rig.names.team, "refused", { clusterClass: "refused" }, { address: "192.0.2.40" }));
    expect(await rig.says("ClusterRoutedIPClass", "refused", "Accepted=False/JobRefused")).to.contain("Not A Name");
    await rig.says("RoutedIP", "refused", "Accepted=False/JobRefused");
    await rig.reports("refused", "JobRefused", "Not A Name");
    expect(await rig.jobs("refused")).to.be.empty;
    await rig.replaceSpec([good]);
    await rig.ready("refused");
    await end("refused");
  });

  it("that ask for a ServiceAccount run only when somebody has labelled it", async () => {
    const accounts = `/api/v1/namespaces/${rig.names.jobs}/serviceaccounts`;
    await rig.client.must.create(accounts, { metadata: { name: "worker" } });
    await runActions(
      "account",
      { assign: { ...NOTHING, serviceAccountName: "worker" }, firewall: NOTHING },
      "192.0.2.50",
    );
    expect(await rig.says("ClusterRoutedIPClass", "account", "Accepted=False/JobRefused")).to.contain("worker");
    expect(await rig.jobs("account")).to.be.empty;
    await rig.client.must.patch(`${accounts}/worker`, { metadata: { labels: { "flipop.digitalocean.com/job": "" } } });
    rig.clock.jump(301_000);
    await rig.ready("account");
    await rig.jobsAreGone("account");
    await rig.client.must.patch(`${accounts}/worker`, {
      metadata: { labels: { "flipop.digitalocean.com/job": null } },
    });
    await rig.add(routedIP(rig.names.team, "late", { clusterClass: "account" }, { address: "192.0.2.51" }));
    await rig.says("RoutedIP", "late", "Accepted=False/JobRefused");
    expect(await rig.jobs("account"), "the label is gone: no Job").to.be.empty;
    await rig.client.must.patch(`${accounts}/worker`, { metadata: { labels: { "flipop.digitalocean.com/job": "" } } });
    rig.clock.jump(301_000);
    await rig.ready("late");
    await rig.delete("RoutedIP", "late");
    await rig.isGone("RoutedIP", "late");
    await end("account");
  });

  it("of a class that changes are let finish; what follows is of the new spec", async () => {
    const gate = `${plane.dir}/${rig.names.team}-gate`;
    const firewall = (word: string) => ({ script: `touch '${gate}-${word}'` });
    const assign = (word: string) => ({
      script: `touch '${gate}-${word}'; while [ ! -e '${gate}-open' ]; do sleep 0.1; done`,
    });
    const first = { assign: assign("old"), firewall: firewall("old-firewall"), firewallPostAllow: true };
    await runActions("changing", first, "192.0.2.60");
    await rig.until(
      "the old Job runs",
      async () => (await exists(`${gate}-old`)) && (await rig.jobs("changing")).length === 1,
    );
    const [before] = await rig.jobs("changing");
    await rig.replaceSpec(
      jobClass("changing", {
        ...{ assign: assign("new"), firewall: firewall("new-firewall"), firewallPostAllow: true, perNodeIpLimit: 100 },
      }),
    );
    await rig.says("ClusterRoutedIPClass", "changing", "Accepted=True");
    expect((await rig.jobs("changing")).map(({ metadata }) => metadata.uid)).to.deep.equal([before?.metadata.uid]);
    await writeFile(`${gate}-open`, "");
    await rig.ready("changing");
    const ran = await Promise.all(["new", "old-firewall", "new-firewall"].map((word) => exists(`${gate}-${word}`)));
    expect(ran, "the address is where it belongs; the firewall Job is the new one").to.deep.equal([false, false, true]);
    await end("changing");
  });

  it("of two RoutedIPs that come at once bring them to two nodes, and wait where there is no third", async () => {
    const more = await rig.addNode();
    await rig.addPod(more);
    await rig.add(jobClass("pair", { assign: NOTHING, firewall: NOTHING }));
    const names = ["one", "two", "three"];
    const make = (name: string, index: number) =>
      rig.add(routedIP(rig.names.team, name, { clusterClass: "pair" }, { address: `192.0.2.${70 + index}` }));
    await Promise.all(names.map(make));
    const placed = async () => {
      const all = await Promise.all(names.map((name) => rig.status(name)));
      return all.flatMap(({ assignedNode }) => assignedNode ?? []).sort();
    };
    await rig.until("two have a node", async () => (await placed()).length === 2);
    await rig.jobsAreGone("pair");
    expect(await placed()).to.deep.equal([node.name, more.name].sort());
    for (const name of names) await rig.delete("RoutedIP", name);
    for (const name of names) await rig.isGone("RoutedIP", name);
    await rig.delete("ClusterRoutedIPClass", "pair");
    await rig.isGone("ClusterRoutedIPClass", "pair");
  });

  it("leave nothing behind, and the operator was refused nothing but what a test has refused", async () => {
    await rig.jobsAreGone();
    expect(await rig.tainted()).to.be.empty;
    expect(rig.log.filter((line) => /forbidden/i.test(line))).to.be.empty;
  });
});

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
