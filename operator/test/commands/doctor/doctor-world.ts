/** A cluster and an account for `flipop doctor`. */

import { customResourceDefinitions } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { Flipop } from "../flipop.js";

interface Found {
  readonly check: string;
  readonly result: string;
  readonly seen: string;
  readonly remedy?: string;
}

interface Definition {
  readonly spec: {
    readonly versions: readonly [
      { schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } } },
    ];
  };
}

export class DoctorWorld {
  private constructor(
    readonly kubernetes: Emulator,
    readonly cloud: DigitalOceanSimulator,
  ) {}

  /** With the namespaces flipop and other, a CRD that lacks a field, one CRD too few, and an account that is full. */
  static async start(): Promise<DoctorWorld> {
    const [pools, ...others] = structuredClone(customResourceDefinitions()) as unknown as readonly [
      Definition,
      ...object[],
    ];
    delete pools.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties["nodePreference"];
    const kubernetes = await startEmulator({ definitions: [pools, ...others.slice(0, -1)] });
    const cloud = await startDigitalOceanSimulator({ account: { reservedIpLimit: 1 } });
    for (const name of ["flipop", "other"]) {
      kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    cloud.state.addAddress();
    return new DoctorWorld(kubernetes, cloud);
  }

  async close(): Promise<void> {
    await this.kubernetes.close();
    await this.cloud.close();
  }

  async doctor(args: readonly string[], env = {}, token?: string) {
    const flipop = new Flipop(this.kubernetes.kubeconfig(token), env);
    const { code, out, err } = await flipop.run("doctor", "--self", "-o", "json", ...args);
    flipop.close();
    expect(err).to.equal("");
    const found = JSON.parse(out) as readonly Found[];
    return { code, found, of: (check: string) => found.filter((one) => one.check === check) };
  }
}
