import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dutifulAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

describe("A routine runs on webhooks and schedules", () => {
  let service: TestService;
  let companyId: string;
  let routineBase: { companyId: never; assigneeAgentId: never; projectId: never };

  beforeAll(async () => {
    service = await startService();
    const { admin } = service;
    const company = await admin.companies.create({ name: "Harbour Works" });
    companyId = company.id;
    const agent = await admin.agents.create({
      companyId: company.id,
      name: "Ada",
      adapterType: "process",
      adapterConfig: dutifulAgent,
    });
    const project = await admin.projects.create({ companyId: company.id, name: "Harbour" });
    routineBase = {
      companyId: company.id as never,
      assigneeAgentId: agent.id as never,
      projectId: project.id as never,
    };
  });
  afterAll(() => service?.stop());

  const finished = (routineId: string) =>
    eventually(
      async () => (await service.admin.routines.runs({ routineId: routineId as never })).items,
      ([run]) => run?.status === "completed",
    );

  it("a signed webhook becomes an issue that the agent finishes", async () => {
    const { admin } = service;
    const routine = await admin.routines.create({ ...routineBase, title: "Look at the push" });
    const trigger = await admin.routines.addTrigger({
      routineId: routine.id as never,
      kind: "webhook",
      signingMode: "hmac_sha256",
    });
    const body = JSON.stringify({ ref: "refs/heads/main", commits: 3 });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac("sha256", trigger.secret!).update(`${timestamp}.${body}`).digest("hex");
    const fired = await fetch(trigger.webhookUrl!, {
      method: "POST",
      headers: { "x-service-signature": `sha256=${signature}`, "x-service-timestamp": timestamp },
      body,
    });
    expect([fired.status, ((await fired.json()) as { status: string }).status]).toEqual([
      202,
      "issue_created",
    ]);

    const [run] = await finished(routine.id);
    expect(run).toMatchObject({
      source: "webhook",
      triggerId: trigger.id,
      triggerPayload: { ref: "refs/heads/main", commits: 3 },
      linkedIssue: { title: "Look at the push", status: "done" },
    });
    expect(run!.completedAt).not.toBeNull();
    const issue = await admin.issues.get({ issueId: run!.linkedIssueId as never });
    expect(issue.routineId).toBe(routine.id);
    expect(issue.description).toContain('"ref": "refs/heads/main"');
    const heartbeat = await eventually(
      async () =>
        (await admin.runs.list({ companyId: companyId as never })).items.find(
          ({ issueId }) => issueId === issue.id,
        ),
      (found) => found?.finishedAt != null,
    );
    expect(heartbeat).toMatchObject({ wakeReason: "issue_assigned", status: "succeeded" });
  });

  it("a routine starts once its tick has come", async () => {
    const { admin } = service;
    const routine = await admin.routines.create({ ...routineBase, title: "On the minute" });
    const trigger = await admin.routines.addTrigger({
      routineId: routine.id as never,
      kind: "schedule",
      cronExpression: "* * * * *",
      timezone: "Europe/London",
    });
    expect(trigger.nextFireAt).not.toBeNull();
    const [run] = await eventually(
      async () => (await admin.routines.runs({ routineId: routine.id as never })).items,
      ([first]) => first !== undefined,
      { withinMs: 90_000 },
    );
    expect(run!.scheduledFor).toBe(trigger.nextFireAt);
    expect(Date.parse(run!.triggeredAt)).toBeGreaterThanOrEqual(Date.parse(run!.scheduledFor!));
    await admin.routines.update({ routineId: routine.id as never, status: "archived" });
    await finished(routine.id);
  });
});
