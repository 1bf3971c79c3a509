import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dutifulAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

describe("an agent wakes, claims its issue, and finishes it", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());

  it("is woken by the assignment, checks out, comments and finishes, and the board sees the transcript", async () => {
    const { admin } = service;
    const company = await admin.companies.create({ name: "Harbour Works" });
    const agent = await admin.agents.create({
      companyId: company.id,
      name: "Ada",
      adapterType: "process",
      adapterConfig: dutifulAgent,
    });
    const issue = await admin.issues.create({
      companyId: company.id,
      title: "When is the harbour open?",
      assigneeAgentId: agent.id,
    });

    const done = await eventually(
      () => admin.issues.get({ issueId: issue.id }),
      ({ status }) => status === "done",
    );
    expect(done).toMatchObject({ assigneeAgentId: agent.id, checkoutRunId: null });
    expect(done.startedAt).not.toBeNull();
    expect(done.completedAt).not.toBeNull();

    const [run] = await eventually(
      async () => (await admin.runs.list({ companyId: company.id })).items,
      ([first]) => first?.status === "succeeded",
    );
    expect(run).toMatchObject({
      agentId: agent.id,
      issueId: issue.id,
      wakeReason: "issue_assigned",
      exitCode: 0,
    });

    const log = await admin.runs.log({ runId: run!.id });
    const lines = log.content
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { stream: string; chunk: string });
    expect(lines.map(({ chunk }) => chunk).join("")).toBe(
      `claimed ${issue.identifier} with 200\nfinished with 200\n`,
    );
    const comments = await admin.issues.comments({ issueId: issue.id, order: "asc" });
    expect(comments.items.map(({ body, authorAgentId }) => [body, authorAgentId])).toEqual([
      ["Looked into it.", agent.id],
      ["That was it.", agent.id],
    ]);
    expect((await admin.agents.get({ agentId: agent.id })).status).toBe("idle");
  });
});
