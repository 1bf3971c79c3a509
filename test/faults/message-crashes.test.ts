import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { type MessageCrashPoint, messageCrashPoints } from "../support/crash-points.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { deliveredAfter, killedAtMessage, messageText } from "../support/killed-at-message.ts";
import { isLiving, stateOf } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

// A service is killed while it hands a person's message to the program of a run. The session is the agent's own file.

const command = new URL("../support/acp-agent.mjs", import.meta.url).pathname;

let program: string;
let database: TestDatabase;
let dataDir: string;
let service: ServiceProgram | null = null;
let admin: Client;

const isThere = () => service !== null && isLiving(service.child.pid!);
/** A service without such a point serves the next case, too. */
const serve = async (stopAt?: MessageCrashPoint): Promise<ServiceProgram> => {
  if (isThere() && stopAt === undefined) return service!;
  if (isThere()) await service!.stop();
  service = await serveProgram(
    dataDir,
    {
      SERVICE_LOG_LEVEL: "error",
      DATABASE_URL: database.url,
      ...(stopAt === undefined ? {} : { STOP_MESSAGE_AT: stopAt }),
    },
    [],
    stopAt === undefined ? {} : { program },
  );
  admin = await service.board();
  return service;
};

beforeAll(async () => {
  [program, database, dataDir] = await Promise.all([
    buildStoppingProgram(),
    createDatabase(),
    mkdtemp(join(tmpdir(), "boardroom-messages-")),
  ]);
});
/** After a failed case. */
afterEach(async () => {
  if (isThere() && stateOf(service!.child.pid!) === "T") await service!.stop("SIGKILL");
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const say = (text: string) => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const end = { result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } };

describe.each(messageCrashPoints)("the death of a service at %s", (point) => {
  it("neither loses a message nor delivers it twice", async () => {
    const name = crypto.randomUUID();
    const [session, go] = [join(dataDir, `${name}-session`), join(dataDir, `${name}-go`)];
    const stopping = await serve(point);
    const { id: companyId } = await admin.companies.create({ name: "Storm" });
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
    const killed = await killedAtMessage({ service: stopping, admin, issueId });
    writeFileSync(go, "");
    await serve();
    await killed.recovered(admin);
    const texts = existsSync(session) ? readFileSync(session, "utf8") : "";
    expect(texts.split("Use the blue yarn.")).toHaveLength(2);
    expect(await killed.message(admin)).toMatchObject(deliveredAfter(point));
  });
});

describe("the death of a service whose run has taken up a message", () => {
  const runsOf = async (issueId: string) => (await admin.runs.ofIssue({ issueId })).items;
  /** An agent with an issue whose first run was cancelled after a person said something to it; returns its next one. */
  const resumedAfterMessage = async (adapterType: string, adapterConfig: object, hasBegun: () => boolean) => {
    await serve();
    const { id: companyId } = await admin.companies.create({ name: "Storm" });
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: `Bo ${crypto.randomUUID()}`,
      adapterType,
      adapterConfig: { graceSec: 1, ...adapterConfig },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      title: "Coil the rope",
      status: "todo",
      assigneeAgentId,
    });
    const running = (after: string) =>
      eventually(
        async () => (await runsOf(issueId)).find(({ id, status }) => id > after && status === "running"),
        (run) => run !== undefined && hasBegun(),
      );
    const first = await running("");
    await admin.runs.say({ runId: first!.id, body: messageText });
    await admin.runs.cancel({ runId: first!.id });
    const second = await running(first!.id);
    return { issueId, first: first!.id, second: second!.id };
  };
  const killed = async () => {
    await service!.stop("SIGKILL");
  };
  const recovered = (issueId: string) =>
    eventually(
      () => runsOf(issueId),
      (runs) => runs.length > 2 && runs.every(({ finishedAt }) => finishedAt !== null),
    );

  it("leaves it in the session once, where its next run finds it", async () => {
    const name = crypto.randomUUID();
    const [session, go] = [join(dataDir, `${name}-session`), join(dataDir, `${name}-go`)];
    const prompts = () => (existsSync(session) ? readFileSync(session, "utf8").trim().split("\n") : []);
    let begun = 0;
    const { issueId, first, second } = await resumedAfterMessage(
      "acp",
      {
        agent: "custom",
        command,
        env: {
          SESSION: session,
          ACP_AGENT: JSON.stringify({
            initialize: [{ result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }],
            "session/load": [{ replay: true, result: {} }],
            "session/prompt": [say("I begin."), { file: go }, say("Done."), end],
          }),
        },
      },
      () => {
        const isNew = prompts().length > begun;
        if (isNew) begun = prompts().length;
        return isNew;
      },
    );
    expect(prompts().at(-1)).toContain(messageText);
    await killed();
    writeFileSync(go, "");
    await serve();
    await recovered(issueId);
    expect(prompts().join("").split(messageText)).toHaveLength(2);
    const [message] = (await admin.runs.messages({ runId: first })).items;
    expect(message).toMatchObject({ state: "new_run", mayBeRepeated: true });
    expect(String(message?.nextRunId) > second).toBe(true);
  });

  it("leaves it to the next run of a program without sessions, which reads that it may be repeated", async () => {
    const name = crypto.randomUUID();
    const [seen, go] = [join(dataDir, `${name}-seen`), join(dataDir, `${name}-go`)];
    const read = `curl -fsS -H "Authorization: Bearer $SERVICE_API_KEY" "$SERVICE_API_URL/api/heartbeat-runs/$SERVICE_RUN_ID/messages"`;
    const script = `echo "$(${read})" >> ${seen}; while [ ! -e ${go} ]; do sleep 0.1; done`;
    const lines = () =>
      (existsSync(seen) ? readFileSync(seen, "utf8").trim().split("\n") : []).map((line) => JSON.parse(line));
    let begun = 0;
    const { issueId, first } = await resumedAfterMessage(
      "process",
      { command: "sh", args: ["-c", script] },
      () => {
        const isNew = lines().length > begun;
        if (isNew) begun = lines().length;
        return isNew;
      },
    );
    await killed();
    await serve();
    await eventually(
      async () => lines().length,
      (count) => count === 3,
    );
    writeFileSync(go, "");
    await eventually(
      () => runsOf(issueId),
      (runs) => runs.every(({ finishedAt }) => finishedAt !== null),
    );
    const [message] = (await admin.runs.messages({ runId: first })).items;
    const had = { body: messageText, mayBeRepeated: false };
    const messagesOfRuns = lines();
    expect(messagesOfRuns.slice(0, 2)).toMatchObject([[], [had]]);
    // Another run may follow, because the issue is left in progress.
    expect(messagesOfRuns[2]).toMatchObject([{ ...had, mayBeRepeated: true }]);
    for (const messages of messagesOfRuns.slice(3)) expect(messages).toEqual([]);
    expect(message).toMatchObject({ mayBeRepeated: true });
  });
});
