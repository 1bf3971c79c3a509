import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe } from "vitest";
import type { Listen } from "../../hosts/http/listener.ts";
import { nodeHandler } from "../../hosts/http/node-handler.ts";
import { answersAreSent } from "./http/answers.ts";
import { bodiesAreRead } from "./http/bodies.ts";
import type { Engine } from "./http/engines.ts";
import { uploadsAreRead } from "./http/multipart.ts";
import { requestsAreHandedOver } from "./http/requests.ts";

/** The server of an embedding program: this suite does not test its timeouts and its stop. */
const listen: Listen = async ({ host, port, handle, onDefect }) => {
  const server = createServer(nodeHandler(handle, onDefect)).listen(port, host);
  await once(server, "listening");
  return {
    host,
    port: (server.address() as AddressInfo).port,
    closeConnections: () => {},
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
const engine: Engine = { name: "a node:http server of somebody else", listen };

describe(engine.name, () => {
  requestsAreHandedOver(engine);
  bodiesAreRead(engine);
  answersAreSent(engine);
  uploadsAreRead(engine);
});
