import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { stringify } from "yaml";
import { freePort } from "../support/free-port.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { workWithPeople } from "../support/people-and-programs.ts";
import { answerWithTools, finishWithTools, opencodeOverAcp, realClis } from "../support/real-clis.ts";
import { realCliImage, realClisFinishIssues } from "../support/real-clis-elsewhere.ts";
import { startService, type TestService } from "../support/service.ts";
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

  const template = () =>
    stringify({
      kind: "docker",
      host: `unix://${started?.socket}`,
      engine: "of-the-test",
      image,
      network: "host",
    });
  realClisFinishIssues("127.0.0.1", template);

  describe("opencode over ACP", () => {
    const opencode = realClis.find(({ command }) => command === "opencode")!;
    const cli = { adapterType: "acp", conversation: opencode.conversation };
    let model: ModelApi;
    let service: TestService;
    beforeAll(async () => {
      model = await startModelApi(opencode.protocol);
      const port = await freePort();
      service = await startService({
        env: { PORT: String(port), SERVICE_AGENT_URL: `http://127.0.0.1:${port}` },
        templates: { engine: template() },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await model?.close();
    });
    const scene = async (name: string) => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name });
      const adapterConfig = { agent: "opencode", ...opencodeOverAcp(model.url) };
      return { cli, admin, companyId, model, adapterConfig, runner: "engine" };
    };

    it("finishes an issue with the service's tools alone, and answers in its session at the next wake", async () => {
      const pier = await scene("Pier");
      await answerWithTools(pier, await finishWithTools(pier));
    });

    it("asks people, hears what they say while it works, and continues after an interrupt", async () => {
      // The files of the agent's home, where the engine keeps its volume.
      const found = (path: string) => {
        const { stdout } = spawnSync("find", [started!.folder, "-name", basename(path)], {
          encoding: "utf8",
        });
        return stdout.split("\n").filter((line) => line !== "");
      };
      await workWithPeople({
        ...(await scene("Harbour")),
        program: "opencode",
        scratch: "$HOME",
        exists: (path) => found(path).length > 0,
        make: (path) => {
          for (const begun of found("begun-by-opencode"))
            writeFileSync(join(dirname(begun), basename(path)), "");
        },
      });
    });
  });
});
