import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { eventually } from "../support/eventually.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { carriersOf, isLiving } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

// A service ends while a program waits for a person. The question ends with its run, and the next run asks anew.

const command = new URL("../support/acp-agent.mjs", import.meta.url).pathname;

let dataDir: string;
let service: ServiceProgram;
let admin: Client;
let companyId: string;

const serve = async (): Promise<void> => {
  service = await serveProgram(dataDir, {
    SERVICE_LOG_LEVEL: "error",
    SERVICE_DATABASE_DURABLE: "true",
    // A run that asks is not handed over, because its program needs an open input.
    SERVICE_HANDOVER_SEC: "60",
  });
  admin = await service.board();
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(memoryFolder(), "boardroom-permissions-"));
  await serve();
  companyId = (await admin.companies.create({ name: "Storm" })).id;
});
afterEach(async () => {
  if (!isLiving(service.child.pid!)) await serve();
});
afterAll(async () => {
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe.each(["SIGTERM", "SIGKILL"] as const)("a service that ends by %s while its agent asks", (signal) => {
  it("leaves no open question and no program, runs nothing without an answer, and the next run asks anew", async () => {
    const made = join(dataDir, `${signal}-made`);
    const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, name: kind, kind }));
    const toolCall = { toolCallId: "1", title: "make", kind: "execute", rawInput: { command: "make" } };
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: `Ada ${signal}`,
      adapterType: "acp",
      adapterConfig: {
        agent: "custom",
        command,
        permissions: "ask",
        graceSec: 1,
        env: {
          ACP_AGENT: JSON.stringify({
            "session/prompt": [
              { ask: { method: "session/request_permission", params: { toolCall, options } }, makes: made },
              { result: { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } } },
            ],
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
    const questions = async () => (await admin.interactions.list({ issueId })).items;
    const openQuestion = async () =>
      (await eventually(questions, (found) => found.some(({ status }) => status === "pending"))).find(
        ({ status }) => status === "pending",
      )!;
    const first = await openQuestion();
    const firstRunId = first.sourceRunId!;
    const pid = service.child.pid!;
    process.kill(pid, signal);
    await eventually(
      async () => isLiving(pid),
      (living) => !living,
    );
    await eventually(
      async () => carriersOf([firstRunId]),
      (left) => left.length === 0,
    );
    await serve();

    const run = await eventually(
      () => admin.runs.get({ runId: firstRunId }),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(run.status).not.toBe("succeeded");
    const second = await openQuestion();
    expect(second.id).not.toBe(first.id);
    expect(second.sourceRunId).not.toBe(firstRunId);
    expect((await questions()).find(({ id }) => id === first.id)).toMatchObject({
      status: "expired",
      result: { outcome: "run_ended" },
    });
    await expect(admin.interactions.accept({ issueId, interactionId: first.id })).rejects.toMatchObject({
      status: 409,
    });
    expect(existsSync(made)).toBe(false);

    await admin.interactions.accept({ issueId, interactionId: second.id });
    const next = await eventually(
      () => admin.runs.get({ runId: second.sourceRunId! }),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(next.status).toBe("succeeded");
    expect(existsSync(made)).toBe(true);
  });
});
