import { afterAll, beforeAll, describe, vi } from "vitest";
import { stringify } from "yaml";
import { realCliImage, realClisFinishIssues } from "../support/real-clis-elsewhere.ts";
import { engineKinds, isInstalled, loadImage, startEngine, type TestEngine } from "./engine.ts";

// `npm run test:docker`: the command lines of the built-in adapters in containers; only the model is scripted.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const image = "localhost/clis:1";

describe.each(engineKinds.filter(isInstalled))("in containers of %s", (kind) => {
  let started: TestEngine | undefined;
  beforeAll(async () => {
    started = await startEngine(kind);
    loadImage(started.socket, await realCliImage(started.folder, image));
  });
  afterAll(() => started?.close());

  realClisFinishIssues("127.0.0.1", () =>
    stringify({
      kind: "docker",
      host: `unix://${started?.socket}`,
      engine: "of-the-test",
      image,
      network: "host",
    }),
  );
});
