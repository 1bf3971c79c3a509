import { createRequire } from "node:module";
import { describe, test } from "vitest";
import { listen } from "../../hosts/http/hyper-express-listener.ts";
import { answersAreSent } from "./http/answers.ts";
import { bodiesAreRead } from "./http/bodies.ts";
import { portsAreTakenAndGivenBack } from "./http/draining.ts";
import type { Engine } from "./http/engines.ts";
import { malformedRequestsAreRefused } from "./http/malformed.ts";
import { uploadsAreRead } from "./http/multipart.ts";
import { requestsAreHandedOver } from "./http/requests.ts";
import { stalledRequestsAreCut } from "./http/timeouts.ts";

// Runs where the engine was installed. It is no dependency of ours:
//   npm install --no-save --ignore-scripts --prefix /tmp/native-uws @trufflesuite/uws-js-unofficial@20.30.0-unofficial.0
//   SERVICE_HTTP_ENGINE_PATH=/tmp/native-uws/node_modules/@trufflesuite/uws-js-unofficial npx vitest run test/hosts
// The expectations that differ from our engine's are that version's known deficiencies.
process.env.SERVICE_HTTP_ENGINE = "native";
const engine: Engine = { name: "the native engine", listen };

const whyNot = ((): string | undefined => {
  const { loadNative } = createRequire(import.meta.url)("../../hosts/http/engine/native.js");
  try {
    loadNative(process.env.SERVICE_HTTP_ENGINE_PATH);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
})();

describe(engine.name, () => {
  if (whyNot !== undefined) {
    test.skip(`WAS NOT RUN. ${whyNot}`, () => {});
    return;
  }
  requestsAreHandedOver(engine);
  bodiesAreRead(engine);
  answersAreSent(engine);
  malformedRequestsAreRefused(engine);
  stalledRequestsAreCut(engine);
  uploadsAreRead(engine);
  portsAreTakenAndGivenBack(engine);
});
