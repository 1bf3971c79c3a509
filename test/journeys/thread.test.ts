import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

/** Continues from the state of the thread, like an agent without memory between runs. */
const planner = nodeAgent(`
const at = "/api/issues/" + task;
const { body: issue } = await call("GET", at);
const end = (status) => call("PATCH", at, { status });
await call("POST", at + "/checkout", { agentId: me, expectedStatuses: ["todo", "in_progress", "in_review"] });
const { body: interactions } = await call("GET", at + "/interactions");
const ask = (interaction) => call("POST", at + "/interactions", interaction);
if (issue.parentId !== null) await end("done");
else {
  const newest = interactions[0];
  if (newest === undefined) {
    const { body: plan } = await call("PUT", at + "/documents/plan", { title: "Plan", body: "# Plan\\n1. Measure\\n2. Build\\n" });
    await ask({
      kind: "request_confirmation",
      continuationPolicy: "wake_assignee",
      payload: { version: 1, prompt: "Is this the plan?", target: { type: "issue_document", key: "plan", revisionId: plan.latestRevisionId } },
    });
  } else if (newest.kind === "request_confirmation" && newest.status === "accepted") {
    await ask({
      kind: "suggest_tasks",
      idempotencyKey: "tasks-of-the-plan",
      payload: { tasks: [
        { clientKey: "measure", title: "Measure", assigneeAgentId: me },
        { clientKey: "build", parentClientKey: "measure", title: "Build" },
      ] },
    });
    const form = new FormData();
    form.set("file", new File(["length;42\\n"], "measures.csv", { type: "text/csv" }));
    const { companyId } = issue;
    const answer = await fetch(api + "/api/companies/" + companyId + "/issues/" + task + "/attachments", {
      method: "POST", headers: { authorization: "Bearer " + token }, body: form,
    });
    console.log("attached with " + answer.status);
  } else if (newest.kind === "suggest_tasks" && newest.status === "accepted")
    await ask({ kind: "request_confirmation", payload: { prompt: "Shall I ship it?", supersedeOnUserComment: true } });
  await end("in_review");
}
`);

describe("The thread of an issue", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());

  it("takes an agent from a plan over its confirmation to tasks, a file and an interaction that a person's comment supersedes", async () => {
    const { admin } = service;
    const company = await admin.companies.create({ name: "Quay Builders" });
    const agent = await admin.agents.create({
      companyId: company.id,
      name: "Ada",
      adapterType: "process",
      adapterConfig: planner,
    });
    const { id: issueId } = await admin.issues.create({
      companyId: company.id,
      title: "Build a quay",
      assigneeAgentId: agent.id,
    });
    const newestInteraction = (kind: string, status: string) =>
      eventually(
        async () => (await admin.interactions.list({ issueId })).items,
        ([interaction]) => interaction?.kind === kind && interaction.status === status,
      ).then(([interaction]) => interaction!);
    const atRest = () =>
      eventually(
        async () => (await admin.runs.list({ companyId: company.id, status: "queued,running" })).items,
        (live) => live.length === 0,
      );

    // It writes a plan and asks for confirmation.
    const first = await newestInteraction("request_confirmation", "pending");
    await atRest();
    const issue = await admin.issues.get({ issueId });
    expect(issue).toMatchObject({ status: "in_review", planDocument: { title: "Plan" } });

    // The acceptance wakes it once; it suggests tasks and attaches a file.
    await admin.interactions.accept({ issueId, interactionId: first.id });
    const tasks = await newestInteraction("suggest_tasks", "pending");
    await atRest();
    const [file] = (await admin.attachments.list({ issueId })).items;
    expect(file).toMatchObject({ originalFilename: "measures.csv", createdByAgentId: agent.id });
    const { body } = await admin.attachments.content({ attachmentId: file!.id });
    expect(await new Response(body).text()).toBe("length;42\n");

    // It gets the tasks; one completes in a run of its own.
    const accepted = await admin.interactions.accept({ issueId, interactionId: tasks.id });
    const [measure, build] = accepted.result!.createdTasks as { issueId: string; parentIssueId: string }[];
    expect([measure!.parentIssueId, build!.parentIssueId]).toEqual([issueId, measure!.issueId]);
    await eventually(
      () => admin.issues.get({ issueId: measure!.issueId }),
      ({ status }) => status === "done",
    );

    // A person's comment supersedes its last interaction.
    const last = await newestInteraction("request_confirmation", "pending");
    await atRest();
    const comment = await admin.issues.comment({ issueId, body: "Not before spring." });
    const late = await admin.interactions.get({ issueId, interactionId: last.id });
    expect(late).toMatchObject({
      status: "expired",
      result: { outcome: "superseded_by_comment", commentId: comment.id },
    });
    await expect(admin.interactions.accept({ issueId, interactionId: last.id })).rejects.toMatchObject({
      code: "interaction_superseded",
    });
    await atRest();

    // Each acceptance made one run. The end of the first task woke it, too, because the issue had no other open child.
    const runs = (await admin.runs.ofIssue({ issueId })).items;
    expect(runs.every(({ status }) => status === "succeeded")).toBe(true);
    const reasons = runs.map(({ wakeReason }) => wakeReason);
    expect(reasons.filter((reason) => reason !== "issue_children_completed")).toEqual([
      "issue_card_expired",
      "issue_card_accepted",
      "issue_card_accepted",
      "issue_assigned",
    ]);
  });
});
