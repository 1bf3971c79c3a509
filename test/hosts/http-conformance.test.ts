import { describe } from "vitest";
import { listen } from "../../hosts/http/hyper-express-listener.ts";
import { answersAreSent } from "./http/answers.ts";
import { bodiesAreRead } from "./http/bodies.ts";
import { connectionsComeFirst, requestsOfConnectionTakeTurns } from "./http/connections.ts";
import { portsAreTakenAndGivenBack } from "./http/draining.ts";
import type { Engine } from "./http/engines.ts";
import { malformedRequestsAreRefused } from "./http/malformed.ts";
import { uploadsAreRead } from "./http/multipart.ts";
import { requestsAreHandedOver } from "./http/requests.ts";
import { stalledRequestsAreCut } from "./http/timeouts.ts";

// The engine is chosen when hyper-express is first loaded, so each engine has its own test file, hence process.
process.env.SERVICE_HTTP_ENGINE = "node";
const engine: Engine = { name: "our engine over node:http", listen };

describe(engine.name, () => {
  requestsAreHandedOver(engine);
  bodiesAreRead(engine);
  answersAreSent(engine);
  malformedRequestsAreRefused(engine);
  stalledRequestsAreCut(engine);
  uploadsAreRead(engine);
  portsAreTakenAndGivenBack(engine);
  connectionsComeFirst(engine);
  requestsOfConnectionTakeTurns(engine);
});
