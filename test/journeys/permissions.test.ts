import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, startService, type TestService } from "../support/service.ts";

// A person decides what a running program may do. The program is a scripted agent over ACP.

const agent = fileURLToPath(new URL("../support/acp-agent.mjs", import.meta.url));
const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, name: kind, kind }));
const asking = (command: string) => ({
  ask: {
    method: "session/request_permission",
    params: {
      toolCall: { toolCallId: command, title: command, kind: "execute", rawInput: { command } },
      options,
    },
  },
});
const say = (text: string) => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const end = { result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } };

let service: TestService;
let companyId: string;
let secretId: string;
beforeAll(async () => {
  service = await startService();
  const { admin } = service;
  companyId = (await admin.companies.create({ name: "Pier" })).id;
  secretId = (
    await admin.secrets.create({ companyId, key: "pier_key", name: "Key", value: "hunter2hunter2" })
  ).id;
});
afterAll(() => service?.stop());

/** Wakes an agent that asks these; returns its run once it is there. */
const asks = async (prompt: readonly object[], config: Readonly<Record<string, unknown>> = {}) => {
  const { admin } = service;
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: `Ada ${crypto.randomUUID().slice(0, 8)}`,
    adapterType: "acp",
    adapterConfig: {
      agent: "custom",
      command: agent,
      permissions: "ask",
      graceSec: 1,
      ...config,
      env: {
        ACP_AGENT: JSON.stringify({ "session/prompt": [...prompt, say("Done."), end] }),
        KEY: { type: "secret_ref", secretId },
      },
    },
  });
  const { id: issueId } = await admin.issues.create({
    companyId,
    title: "Clean",
    status: "todo",
    assigneeAgentId,
  });
  const runOf = async () => (await admin.runs.ofIssue({ issueId })).items[0];
  const run = await eventually(runOf, (found) => found !== undefined);
  return { issueId, runId: run!.id };
};
const openInteractions = async (issueId: string, count = 1) =>
  (
    await eventually(
      () => service.admin.interactions.list({ issueId, status: ["pending"] }),
      ({ items }) => items.length === count,
    )
  ).items;
/** The interactions of this run; another run may follow, and ask again. */
const interactionsOf = async (issueId: string, runId: string) =>
  (await service.admin.interactions.list({ issueId, limit: 500 })).items.filter(
    ({ sourceRunId }) => sourceRunId === runId,
  );
const ended = (runId: string) =>
  eventually(
    () => service.admin.runs.get({ runId }),
    ({ finishedAt }) => finishedAt !== null,
  );
const logOf = async (runId: string) => (await service.admin.runs.log({ runId })).content;

describe("a program that asks", () => {
  it("waits for a person, beyond its limits of time and silence, and continues with a yes", async () => {
    const { admin } = service;
    const { issueId, runId } = await asks([asking("echo hunter2hunter2 > key")], {
      timeoutSec: 3,
      silenceSec: 3,
    });
    const [card] = await openInteractions(issueId);
    expect(card).toMatchObject({
      kind: "request_permission",
      sourceRunId: runId,
      title: expect.not.stringContaining("hunter2"),
      payload: { tool: "execute", command: expect.stringMatching(/^echo (?!hunter2).* > key$/) },
      callerMay: { accept: { allowed: true } },
    });
    const { items } = await admin.inbox.list({});
    expect(items.find(({ subject }) => subject.id === card!.id)).toMatchObject({
      kind: "permission",
      actions: ["accept", "reject"],
    });
    const waiting = await admin.runs.get({ runId });
    expect(waiting).toMatchObject({
      status: "running",
      waitsForPersonSince: card!.createdAt,
      permissionRequests: [{ id: card!.id, issueId }],
      whatNext: expect.stringContaining("Waiting for your answer"),
    });
    // Longer than either limit by the clock of the service.
    await eventually(
      async () => Date.now() - Date.parse(card!.createdAt),
      (ms) => ms > 4_000,
    );
    await admin.interactions.accept({ issueId, interactionId: card!.id });
    expect(await ended(runId)).toMatchObject({ status: "succeeded", waitsForPersonSince: null });
    expect(await logOf(runId)).toContain("allowed (by a person)");
    await expect(admin.interactions.accept({ issueId, interactionId: card!.id })).rejects.toMatchObject({
      code: "interaction_already_resolved",
    });
  });

  it("gets a no with its reason", async () => {
    const { issueId, runId } = await asks([asking("rm -r /")]);
    const [card] = await openInteractions(issueId);
    await service.admin.interactions.reject({ issueId, interactionId: card!.id, reason: "Not that." });
    await ended(runId);
    expect(await logOf(runId)).toContain("Denied: Not that.");
  });

  it("gets a no where nobody answers in time", async () => {
    const { issueId, runId } = await asks([asking("make")], { permissionWaitSec: 1 });
    await ended(runId);
    expect(await logOf(runId)).toContain("No answer in time. Denied automatically.");
    const items = await interactionsOf(issueId, runId);
    expect(items).toMatchObject([{ status: "expired", result: { outcome: "unanswered" } }]);
    await expect(
      service.admin.interactions.accept({ issueId, interactionId: items[0]!.id }),
    ).rejects.toMatchObject({ code: "interaction_unanswered" });
  });

  it("leaves no open interaction behind when its run is cancelled", async () => {
    const { issueId, runId } = await asks([asking("make")]);
    await openInteractions(issueId);
    await service.admin.runs.cancel({ runId });
    expect(await ended(runId)).toMatchObject({ status: "cancelled" });
    const items = await interactionsOf(issueId, runId);
    expect(items).toMatchObject([{ status: "expired", result: { outcome: "run_ended" } }]);
  });

  it("asks a hundred times in one run, and then nobody any more", async () => {
    const many = Array.from({ length: 103 }, (_, n) => asking(`make ${n}`));
    const { issueId, runId } = await asks(many, { permissionWaitSec: 0.01 });
    await ended(runId);
    expect((await logOf(runId)).match(/The run has asked 100 times/g)).toHaveLength(3);
    const items = await interactionsOf(issueId, runId);
    expect(items).toHaveLength(100);
  });

  it("does not ask again for what is allowed for this run", async () => {
    const { admin } = service;
    const { issueId, runId } = await asks([asking("make"), asking("make"), asking("make clean")]);
    const [first] = await openInteractions(issueId);
    expect(first!.payload).toMatchObject({ command: "make", repeatable: true });
    await admin.interactions.accept({ issueId, interactionId: first!.id, always: "run" });
    const [second] = await eventually(
      async () => (await openInteractions(issueId)).filter(({ id }) => id !== first!.id),
      (found) => found.length === 1,
    );
    expect(second!.payload).toMatchObject({ command: "make clean" });
    await admin.interactions.accept({ issueId, interactionId: second!.id });
    expect(await ended(runId)).toMatchObject({ status: "succeeded" });
    expect(await interactionsOf(issueId, runId)).toHaveLength(2);
    const { agentId } = await admin.runs.get({ runId });
    expect((await admin.agents.get({ agentId })).runtimeConfig.alwaysAllow).toBeUndefined();
  });

  it("does not ask again for what is allowed for its agent, until that is revoked", async () => {
    const { admin } = service;
    const { issueId, runId } = await asks([asking("make"), asking("make")]);
    const [card] = await openInteractions(issueId);
    await admin.interactions.accept({ issueId, interactionId: card!.id, always: "agent" });
    await ended(runId);
    expect(await interactionsOf(issueId, runId)).toHaveLength(1);
    const { agentId } = await admin.runs.get({ runId });
    const rule = { tool: "execute", command: "make", path: null };
    expect((await admin.agents.get({ agentId })).runtimeConfig.alwaysAllow).toEqual([rule]);
    const [revision] = (await admin.agents.configRevisions({ agentId })).items;
    expect(revision).toMatchObject({ source: "patch", changedKeys: ["runtimeConfig"] });
    expect(revision!.createdByUserId).not.toBeNull();
    const events = (await admin.runs.events({ runId })).items.map(({ message }) => message);
    expect(events).toContain("always allowed: make");

    const { token } = await admin.agents.createKey({ agentId, name: "own" });
    await expect(
      service.as(token).agents.update({ agentId, runtimeConfig: { alwaysAllow: [rule] } }),
    ).rejects.toMatchObject({ status: 403 });
    await admin.agents.update({ agentId, runtimeConfig: { alwaysAllow: null } });
    // A revoked permission stays revoked, whatever configuration comes back.
    await admin.agents.rollback({ agentId, revisionId: revision!.id });
    expect((await admin.agents.get({ agentId })).runtimeConfig.alwaysAllow).toBeUndefined();
  });

  it("is allowed once alone where what people see is not all that it asked", async () => {
    const { admin } = service;
    const { issueId, runId } = await asks([asking("echo hunter2hunter2")]);
    const [card] = await openInteractions(issueId);
    expect(card!.payload).toMatchObject({ repeatable: false });
    const named = { issueId, interactionId: card!.id };
    await expect(admin.interactions.accept({ ...named, always: "agent" })).rejects.toMatchObject({
      code: "interaction_answer_invalid",
    });
    await admin.interactions.accept(named);
    expect(await ended(runId)).toMatchObject({ status: "succeeded" });
  });

  it("is not answered by an agent, and nobody makes its interactions by hand", async () => {
    const { admin } = service;
    const { issueId, runId } = await asks([asking("make")]);
    const [card] = await openInteractions(issueId);
    const { agentId } = await admin.runs.get({ runId });
    const { token } = await admin.agents.createKey({ agentId, name: "own" });
    await expect(
      service.as(token).interactions.accept({ issueId, interactionId: card!.id }),
    ).rejects.toMatchObject({ status: 403 });
    await expect(
      admin.interactions.create({ issueId, kind: "request_permission" as never, payload: {} }),
    ).rejects.toMatchObject({ status: 400 });
    await admin.interactions.reject({ issueId, interactionId: card!.id });
    await ended(runId);
  });
});
