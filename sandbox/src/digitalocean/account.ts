/** `/v2/account`. */

import type { Route } from "../http/api.js";
import type { World } from "./world.js";

export const accountRoutes: readonly Route<World>[] = [
  {
    method: "GET",
    path: "/v2/account",
    handle: (_, { data: { account } }) => {
      const { uuid, email, name, status, dropletLimit, reservedIpLimit } = account;
      return {
        status: 200,
        body: {
          account: {
            ...{ droplet_limit: dropletLimit, floating_ip_limit: reservedIpLimit, email, name, uuid },
            ...{ email_verified: true, status, status_message: "", team: { uuid, name } },
          },
        },
      };
    },
  },
];
