import { scaledClock } from "flipop-operator/testing/scaled-clock";
import { after, before, describe } from "mocha";
import { type Emulator, startEmulator } from "../../src/kubernetes/index.js";
import { ApiClient } from "./api-client.js";
import { kubernetesContract } from "./contract.js";
import { type Target, uniqueName } from "./target.js";

const CLOCK_FACTOR = 5;

for (const format of ["json", "protobuf"] as const) {
  describe(`the Kubernetes contract on the emulator, in ${format}`, () => {
    let emulator: Emulator;
    let target: Target;

    before(async () => {
      // Watches end by the clock: it need not be waited for.
      emulator = await startEmulator({ clock: scaledClock(CLOCK_FACTOR) });
      const admin = new ApiClient(emulator, emulator.adminToken, format);
      target = {
        name: "emulator",
        admin,
        compact: () => Promise.resolve(emulator.compact()),
        restricted: (rules) => {
          const user = uniqueName("user");
          return Promise.resolve({ user, client: admin.as(emulator.addIdentity(user, rules)) });
        },
      };
    });
    after(async () => {
      await target.admin.close();
      await emulator.close();
    });

    kubernetesContract(() => target);
  });
}
