import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

// A person says something to a run while it works, or interrupts it. The program is a scripted agent over ACP.

const agent = fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url));
const say = (text: string) => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const end = { result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } };
const cancelled = { result: { stopReason: "cancelled" } };
const steers = [
  {
    result: {
      protocolVersion: 1,
      agentCapabilities: { loadSession: true },
      _meta: { steering: { supported: true } },
    },
  },
];
const injects = [{ result: { outcome: "injected" } }];
const loads = [{ replay: true, result: {} }];

let service: TestService;
let companyId: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "run-messages-"));
  service = await startService();
  companyId = (await service.admin.companies.create({ name: "Pier" })).id;
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface ReceivedMessage {
  readonly method: string;
  readonly params: { readonly prompt: readonly { readonly text: string }[] };
}

interface Scene {
  readonly issueId: string;
  readonly agentId: string;
  readonly runId: string;
  /** Ends the turn that waits for it. */
  readonly go: () => void;
  readonly received: (method: string) => readonly ReceivedMessage[];
}

/** Wakes an agent whose first turn waits for `go`; returns when its program takes messages. */
const working = async (
  plan: Readonly<Record<string, readonly object[]>> = {},
  env: Readonly<Record<string, unknown>> = {},
): Promise<Scene> => {
  const { admin } = service;
  const name = crypto.randomUUID();
  const [gone, receivedFile] = [join(folder, `${name}-go`), join(folder, `${name}-heard`)];
  const { id: agentId } = await admin.agents.create({
    companyId,
    name: `Ada ${name.slice(0, 8)}`,
    adapterType: "acp",
    adapterConfig: {
      agent: "custom",
      command: agent,
      graceSec: 1,
      env: {
        ACP_AGENT: JSON.stringify({
          "session/prompt": [say("I begin."), { file: gone }, say("Done."), end],
          "session/prompt again": [say("That too."), end],
          ...plan,
        }),
        HEARD: receivedFile,
        SESSION: join(folder, `${name}-session`),
        ...env,
      },
    },
  });
  const { id: issueId } = await admin.issues.create({
    companyId,
    title: "Mend the net",
    status: "todo",
    assigneeAgentId: agentId,
  });
  const run = await eventually(
    async () => (await admin.runs.ofIssue({ issueId })).items[0],
    (found) => found !== undefined,
  );
  await eventually(
    () => admin.runs.get({ runId: run!.id }),
    ({ takesMessages }) => takesMessages,
  );
  const received = (method: string): readonly ReceivedMessage[] =>
    !existsSync(receivedFile)
      ? []
      : readFileSync(receivedFile, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
          .filter((message: ReceivedMessage) => message.method === method);
  return { issueId, agentId, runId: run!.id, go: () => writeFileSync(gone, ""), received };
};
type SentMessage = Awaited<ReturnType<TestService["admin"]["runs"]["say"]>>;
const messagesOf = async (runId: string) => (await service.admin.runs.messages({ runId })).items;
const message = (runId: string, isMet: (one: SentMessage) => boolean) =>
  eventually(
    async () => (await messagesOf(runId))[0],
    (one) => one !== undefined && isMet(one),
  );
const ended = (runId: string) =>
  eventually(
    () => service.admin.runs.get({ runId }),
    ({ finishedAt }) => finishedAt !== null,
  );
const runsOf = async (issueId: string) => (await service.admin.runs.ofIssue({ issueId })).items;
/** The run that followed directly. */
const nextRun = (issueId: string, after: string) =>
  eventually(
    async () => (await runsOf(issueId)).filter(({ id }) => id > after).at(-1),
    (run) => run !== undefined && run.finishedAt !== null,
  );
/** Of any run of the issue: another may follow by now. */
const promptsWith = (text: string, received: (method: string) => readonly unknown[]) =>
  received("session/prompt").filter((each) => JSON.stringify(each).includes(text));
/** Nothing is left to be done for the issue. */
const isQuiet = (issueId: string) =>
  eventually(
    () => runsOf(issueId),
    (runs) => runs.every(({ finishedAt }) => finishedAt !== null),
  );

describe("a message to a running run", () => {
  it("is injected where the program takes it in its turn, and wakes nobody then", async () => {
    const { runId, issueId, go, received } = await working({
      initialize: steers,
      "_session/steering": injects,
    });
    const { items: story } = await service.admin.runs.events({ runId });
    const capabilities = { takesMessages: true, takesInterrupt: true };
    expect(story.filter(({ payload }) => "takesMessages" in payload)).toMatchObject([
      { payload: capabilities },
    ]);
    const sent = await service.admin.runs.say({ runId, body: "Use the blue yarn." });
    expect(sent).toMatchObject({ state: "sent", authorName: "board", deliveredAt: null });
    expect(await message(runId, ({ state }) => state === "injected")).toMatchObject({
      id: sent.id,
      deliveredAt: expect.any(String),
      nextRunId: null,
    });
    expect(received("_session/steering")).toMatchObject([
      { params: { prompt: [{ text: expect.stringContaining("Use the blue yarn.") }] } },
    ]);
    await service.admin.issues.update({ issueId, status: "in_review" });
    go();
    expect(await ended(runId)).toMatchObject({
      status: "succeeded",
      wakes: expect.arrayContaining([
        expect.objectContaining({
          reason: "run_message",
          status: "coalesced",
          endReason: "message_delivered",
        }),
      ]),
    });
    const runs = await isQuiet(issueId);
    expect(runs.filter(({ wakeReason }) => wakeReason === "run_message")).toEqual([]);
  });

  it("is queued where it takes none in its turn, and comes after it in the same run", async () => {
    const { runId, issueId, go, received } = await working();
    await service.admin.runs.say({ runId, body: "First." });
    await message(runId, ({ state }) => state === "queued");
    await service.admin.runs.say({ runId, body: "Second." });
    await eventually(
      () => messagesOf(runId),
      (all) => all.length === 2 && all.every(({ state }) => state === "queued"),
    );
    // Else a run follows that continues the issue, whose prompt the file has, too.
    await service.admin.issues.update({ issueId, status: "in_review" });
    go();
    expect(await ended(runId)).toMatchObject({ status: "succeeded", summary: "That too." });
    const [, more, ...others] = received("session/prompt");
    expect(more?.params.prompt[0]?.text).toMatch(/First\.[\s\S]*Second\./);
    expect(others).toEqual([]);
    expect((await messagesOf(runId)).map(({ state, deliveredAt }) => [state, deliveredAt !== null])).toEqual([
      ["queued", true],
      ["queued", true],
    ]);
  });

  it("that is a comment of a person on its issue reaches the program in the same way", async () => {
    const { runId, issueId, go, received } = await working({
      initialize: steers,
      "_session/steering": injects,
    });
    const comment = await service.admin.issues.comment({ issueId, body: "Mind the hole." });
    expect(await message(runId, ({ state }) => state === "injected")).toMatchObject({
      commentId: comment.id,
      body: null,
    });
    expect(received("_session/steering")[0]?.params.prompt[0]?.text).toMatch(
      /commented[\s\S]*Mind the hole\./,
    );
    await service.admin.issues.update({ issueId, status: "in_review" });
    go();
    await ended(runId);
    const runs = await isQuiet(issueId);
    expect(runs.filter(({ wakeReason }) => wakeReason === "issue_commented")).toEqual([]);
  });

  it("is left to the next run by one that is stopped, and is in its prompt once", async () => {
    const { runId, issueId, go, received } = await working();
    await service.admin.runs.say({ runId, body: "Take the old rope." });
    await message(runId, ({ state }) => state === "queued");
    await service.admin.runs.cancel({ runId });
    expect(await ended(runId)).toMatchObject({ status: "cancelled", errorCode: "cancelled" });
    go();
    const next = await nextRun(issueId, runId);
    expect(next).toMatchObject({ wakeReason: "run_message" });
    expect(await messagesOf(runId)).toMatchObject([{ state: "new_run", nextRunId: next!.id }]);
    const prompted = received("session/prompt").flatMap(({ params }) =>
      params.prompt.map(({ text }) => text),
    );
    expect(prompted.filter((text) => text.includes("Take the old rope."))).toHaveLength(1);
  });

  it("waits through a pause of the agent", async () => {
    const { runId, issueId, agentId, go, received } = await working();
    await service.admin.agents.pause({ agentId });
    await ended(runId);
    await expect(service.admin.runs.say({ runId, body: "Too late." })).rejects.toMatchObject({
      status: 409,
      code: "run_has_ended",
    });
    go();
    await service.admin.agents.resume({ agentId });
    await nextRun(issueId, runId);
    const second = await working();
    await service.admin.runs.say({ runId: second.runId, body: "Keep this." });
    await message(second.runId, ({ state }) => state === "queued");
    await service.admin.agents.pause({ agentId: second.agentId });
    await ended(second.runId);
    expect(await messagesOf(second.runId)).toMatchObject([{ state: "new_run", nextRunId: null }]);
    second.go();
    await service.admin.agents.resume({ agentId: second.agentId });
    const next = await nextRun(second.issueId, second.runId);
    expect(await messagesOf(second.runId)).toMatchObject([{ nextRunId: next!.id }]);
    expect(promptsWith("Keep this.", second.received)).toHaveLength(1);
    expect(received("session/prompt").length).toBeGreaterThan(1);
  });

  it("is in the prompt of the run after one that failed before its program had it", async () => {
    const { admin } = service;
    const { runId, issueId, agentId, go, received } = await working();
    await admin.runs.say({ runId, body: "Mend the red net." });
    await message(runId, ({ state }) => state === "queued");
    await admin.agents.pause({ agentId });
    await ended(runId);
    go();
    const { adapterConfig } = await admin.agents.get({ agentId });
    await admin.agents.update({ agentId, adapterConfig: { ...adapterConfig, command: "/bin/false" } });
    await admin.agents.resume({ agentId });
    const failed = await nextRun(issueId, runId);
    expect(failed).toMatchObject({ status: "failed" });
    await admin.agents.update({ agentId, adapterConfig });
    await admin.runs.retry({ runId: failed!.id });
    await eventually(
      async () => {
        const [{ nextRunId } = { nextRunId: null }] = await messagesOf(runId);
        return nextRunId === null ? null : (await admin.runs.get({ runId: nextRunId })).status;
      },
      (status) => status === "succeeded",
    );
    expect(promptsWith("Mend the red net.", received)).toHaveLength(1);
  });

  it("is left to the next run where the program takes none, and shows no secret in the log", async () => {
    const { admin } = service;
    const secret = await admin.secrets.create({ companyId, name: "Net key", value: "knots-and-more-knots" });
    const { runId, go } = await working(
      { initialize: steers, "_session/steering": injects },
      { KEY: { type: "secret_ref", secretId: secret.id } },
    );
    await admin.runs.say({ runId, body: "The key is knots-and-more-knots." });
    await message(runId, ({ state }) => state === "injected");
    go();
    await ended(runId);
    const { content } = await admin.runs.log({ runId });
    expect(content).toContain("The key is");
    expect(content).not.toContain("knots-and-more-knots");

    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: `Bo ${crypto.randomUUID().slice(0, 8)}`,
      adapterType: "process",
      adapterConfig: { command: "sleep", args: ["600"], graceSec: 1 },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      title: "Wait",
      status: "todo",
      assigneeAgentId,
    });
    const run = await eventually(
      async () => (await runsOf(issueId))[0],
      (found) => found?.status === "running",
    );
    const { callerMay, takesMessages } = await admin.runs.get({ runId: run!.id });
    expect([takesMessages, callerMay.say.allowed, callerMay.interrupt]).toMatchObject([
      false,
      true,
      { allowed: false, code: "run_not_interruptible" },
    ]);
    expect(await admin.runs.say({ runId: run!.id, body: "Hello?" })).toMatchObject({ state: "new_run" });
    await expect(admin.runs.interrupt({ runId: run!.id })).rejects.toMatchObject({
      status: 409,
      code: "run_not_interruptible",
    });
    await admin.agents.pause({ agentId: assigneeAgentId });
  });
});

describe("a message to an agent that takes none", () => {
  /** Makes an agent with an issue, whose first run works until `go`, and says something to that run. */
  const sendTo = async (adapterType: string, adapterConfig: object, hasBegun: () => boolean) => {
    const { admin } = service;
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: `Bo ${crypto.randomUUID().slice(0, 8)}`,
      adapterType,
      adapterConfig: { ...adapterConfig },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      title: "Coil the rope",
      status: "todo",
      assigneeAgentId: agentId,
    });
    const run = await eventually(
      async () => (await runsOf(issueId))[0],
      (found) => found?.status === "running" && hasBegun(),
    );
    // Else a run that fails is followed by one that continues the issue.
    await admin.issues.update({ issueId, status: "in_review" });
    const sent = await admin.runs.say({ runId: run!.id, body: "Take the old rope." });
    expect(sent).toMatchObject({ state: "new_run", mayBeRepeated: false });
    return { agentId, issueId, runId: run!.id };
  };
  const retried = async (issueId: string, runId: string) => {
    await service.admin.runs.retry({ runId });
    return nextRun(issueId, runId);
  };

  it("is read by its program with the token of the run, and not left again once that had started", async () => {
    const { admin } = service;
    const name = join(folder, crypto.randomUUID());
    const [seen, go] = [`${name}-seen`, `${name}-go`];
    const read = `curl -fsS -H "Authorization: Bearer $SERVICE_API_KEY" "$SERVICE_API_URL/api/heartbeat-runs/$SERVICE_RUN_ID/messages"`;
    const script = `{ ${read}; echo; } >> ${seen}; while [ ! -e ${go} ]; do sleep 0.1; done; exit 3`;
    const adapterConfig = { command: "sh", args: ["-c", script], graceSec: 1 };
    // The shell makes the file before curl has an answer.
    const lines = () => (existsSync(seen) ? readFileSync(seen, "utf8").split("\n").slice(0, -1) : []);
    const { agentId, issueId, runId } = await sendTo("process", adapterConfig, () => lines().length === 1);
    await admin.agents.update({
      agentId,
      adapterConfig: { ...adapterConfig, command: "/no/such/program" },
    });
    writeFileSync(go, "");
    const unstarted = await nextRun(issueId, runId);
    expect(unstarted).toMatchObject({ status: "failed" });
    expect(await messagesOf(runId)).toMatchObject([{ nextRunId: null, deliveredAt: null }]);
    expect(await messagesOf(unstarted!.id)).toEqual([]);

    await admin.agents.update({ agentId, adapterConfig });
    const second = await retried(issueId, unstarted!.id);
    expect(second).toMatchObject({ status: "failed", exitCode: 3 });
    const third = await retried(issueId, second!.id);
    expect(third).toMatchObject({ status: "failed", exitCode: 3 });
    const items = lines().map((line) => JSON.parse(line));
    expect(items).toMatchObject([
      [],
      [{ body: "Take the old rope.", runId, nextRunId: second!.id, mayBeRepeated: false }],
      [],
    ]);
    await isQuiet(issueId);
  });

  it("is not left again once a request with it was sent, and is where none could be", async () => {
    const { admin } = service;
    const asked: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      asked.push(body);
      await released;
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const adapterConfig = { url: `http://127.0.0.1:${port}/`, allowPrivateHosts: ["127.0.0.1"] };
      const { agentId, issueId, runId } = await sendTo("http", adapterConfig, () => asked.length === 1);
      const closed = await freePort();
      await admin.agents.update({
        agentId,
        adapterConfig: { ...adapterConfig, url: `http://127.0.0.1:${closed}/` },
      });
      release();
      const unsent = await nextRun(issueId, runId);
      expect(unsent).toMatchObject({ status: "failed" });
      expect(await messagesOf(runId)).toMatchObject([{ nextRunId: null }]);
      await admin.agents.update({ agentId, adapterConfig });
      const second = await retried(issueId, unsent!.id);
      await retried(issueId, second!.id);
      expect(await messagesOf(runId)).toMatchObject([{ nextRunId: second!.id }]);
      expect(asked.map((body) => JSON.parse(body).prompt.split("Take the old rope.").length - 1)).toEqual([
        0, 1, 0,
      ]);
      await isQuiet(issueId);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("an interrupt", () => {
  it("ends the turn, and the next run continues the session", async () => {
    const { runId, issueId, received } = await working({
      initialize: [{ result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }],
      "session/load": loads,
      "session/prompt": [say("I begin."), { cancel: true }, cancelled],
    });
    const { callerMay } = await service.admin.runs.get({ runId });
    expect(callerMay.interrupt).toMatchObject({ allowed: true });
    await service.admin.runs.interrupt({ runId });
    const run = await ended(runId);
    expect(run).toMatchObject({
      status: "cancelled",
      errorCode: "turn_interrupted",
      sessionIdAfter: "s-1",
    });
    expect(received("session/cancel")).toHaveLength(1);
    await service.admin.issues.comment({ issueId, body: "Now this." });
    await eventually(
      async () => received("session/load"),
      (loaded) => loaded.length === 1,
    );
    await expect(service.admin.runs.interrupt({ runId })).rejects.toMatchObject({ code: "run_has_ended" });
    const live = (await runsOf(issueId)).find(({ finishedAt }) => finishedAt === null);
    if (live !== undefined) await service.admin.runs.cancel({ runId: live.id });
    await isQuiet(issueId);
  });

  it("that its program ignores can be followed by a cancel", async () => {
    const { runId, go } = await working();
    await service.admin.runs.interrupt({ runId });
    expect(await service.admin.runs.get({ runId })).toMatchObject({ stopReason: "turn_interrupted" });
    await service.admin.runs.cancel({ runId });
    expect(await ended(runId)).toMatchObject({ status: "cancelled", errorCode: "cancelled" });
    go();
  });
});
