import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { type MessageCrashPoint, messageCrashPoints } from "../support/crash-points.ts";
import { deliveredAfter, killedAtMessage } from "../support/killed-at-message.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { isLiving } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

// A service is killed while it hands a person's message to the program of a run. The session is the agent's own file.

const command = new URL("../support/acp-agent.mjs", import.meta.url).pathname;

let program: string;
let dataDir: string;
let service: ServiceProgram;
let admin: Client;
let companyId: string;

const serve = async (stopAt?: MessageCrashPoint): Promise<void> => {
  service = await serveProgram(
    dataDir,
    {
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
  dataDir = await mkdtemp(join(memoryFolder(), "boardroom-messages-"));
  await serve();
  companyId = (await admin.companies.create({ name: "Storm" })).id;
  await service.stop();
});
afterEach(async () => {
  if (!isLiving(service.child.pid!)) return;
  service.child.kill("SIGCONT");
  await service.stop();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const say = (text: string) => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const end = { result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } };

describe.each(messageCrashPoints)("the death of a service at %s", (point) => {
  it("neither loses a message nor delivers it twice", async () => {
    const name = crypto.randomUUID();
    const [session, go] = [join(dataDir, `${name}-session`), join(dataDir, `${name}-go`)];
    await serve(point);
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: `Ada ${name}`,
      adapterType: "acp",
      adapterConfig: {
        agent: "custom",
        command,
        graceSec: 1,
        env: {
          SESSION: session,
          ACP_AGENT: JSON.stringify({
            initialize: [
              {
                result: {
                  protocolVersion: 1,
                  agentCapabilities: { loadSession: true },
                  _meta: { steering: { supported: true } },
                },
              },
            ],
            "_session/steering": [{ result: { outcome: "injected" } }],
            "session/load": [{ replay: true, result: {} }],
            "session/prompt": [say("I begin."), { file: go }, say("Done."), end],
          }),
        },
      },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      title: "Mend the net",
      status: "todo",
      assigneeAgentId,
    });
    const killed = await killedAtMessage({ service, admin, issueId });
    writeFileSync(go, "");
    await serve();
    await killed.recovered(admin);
    const texts = existsSync(session) ? readFileSync(session, "utf8") : "";
    expect(texts.split("Use the blue yarn.")).toHaveLength(2);
    expect(await killed.message(admin)).toMatchObject(deliveredAfter(point));
  });
});
