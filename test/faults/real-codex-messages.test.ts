import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { type MessageCrashPoint, messageCrashPoints } from "../support/crash-points.ts";
import { eventually } from "../support/eventually.ts";
import { deliveredAfter, killedAtMessage, messageText } from "../support/killed-at-message.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { installed, realClis } from "../support/real-clis.ts";
import { isLiving } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

// A service is killed while it hands a person's message to the real `codex app-server`; only the model is scripted.

const codex = realClis.find(({ command }) => command === "codex")!;

let program: string;
let dataDir: string;
let service: ServiceProgram;
let admin: Client;
let companyId: string;
let model: ModelApi;

const serve = async (stopAt?: MessageCrashPoint): Promise<void> => {
  service = await serveProgram(
    dataDir,
    {
      HOME: join(dataDir, "home"),
      SERVICE_LOG_LEVEL: "error",
      SERVICE_DATABASE_DURABLE: "true",
      ...(stopAt === undefined ? {} : { STOP_MESSAGE_AT: stopAt }),
    },
    [],
    stopAt === undefined ? {} : { program },
  );
  admin = await service.board();
};

beforeAll(async () => {
  program = await buildStoppingProgram();
  dataDir = await mkdtemp(join(tmpdir(), "boardroom-codex-messages-"));
  for (const folder of ["home", "tmp"]) await mkdir(join(dataDir, folder));
  model = await startModelApi(codex.protocol);
  await serve();
  companyId = (await admin.companies.create({ name: "Storm" })).id;
  await service.stop();
});
afterEach(async () => {
  if (!isLiving(service.child.pid!)) return;
  service.child.kill("SIGCONT");
  await service.stop();
});
afterAll(async () => {
  await model?.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe.each(messageCrashPoints)("codex and the death of its service at %s", (point) => {
  it("have the message in the session once", async () => {
    const go = join(dataDir, `${point}-go`);
    model.forget();
    model.script([`while [ ! -e ${go} ]; do sleep 0.1; done`], "Done.");
    const { env, ...settings } = codex.configured(model.url);
    await serve(point);
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: `Ada ${point}`,
      adapterType: codex.adapterType,
      adapterConfig: {
        command: installed("codex"),
        permissions: "ask",
        ...settings,
        // codex starts no sandbox where its home is below the folder of temporary files.
        env: { ...(env as object), TMPDIR: join(dataDir, "tmp") },
      },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      title: "Mend the net",
      status: "todo",
      assigneeAgentId,
    });
    // Its turn works once the model has been asked.
    await eventually(
      async () => model.requests.length,
      (asked) => asked > 0,
    );
    const killed = await killedAtMessage({ service, admin, issueId, onHanded: () => writeFileSync(go, "") });
    await serve();
    await killed.recovered(admin);
    expect(await killed.message(admin)).toMatchObject(deliveredAfter(point));
    expect(
      codex.conversation({ ...model, requests: model.requests.slice(-1) }).split(messageText),
    ).toHaveLength(2);
  });
});
