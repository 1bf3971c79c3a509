import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let companyId: string;
let ada: AgentAtWork;

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  ada = await api.atWork((await api.agent(companyId, { name: "Ada" })).id);
});
afterAll(() => api?.stop());

const confirmation = (payload: object = {}) => ({
  kind: "request_confirmation",
  payload: { version: 1, prompt: "Shall I?", ...payload },
});
const tasks = {
  kind: "suggest_tasks",
  payload: {
    version: 1,
    tasks: [
      { clientKey: "inner", parentClientKey: "outer", title: "Inner" },
      { clientKey: "outer", title: "Outer", priority: "high" },
      { clientKey: "other", title: "Other" },
    ],
  },
};
const questions = {
  kind: "ask_user_questions",
  payload: {
    version: 1,
    questions: [
      {
        id: "colour",
        prompt: "Which?",
        selectionMode: "single",
        required: true,
        options: [
          { id: "red", label: "Red" },
          { id: "blue", label: "Blue" },
        ],
      },
      {
        id: "why",
        prompt: "Why?",
        selectionMode: "multi",
        allowOther: true,
        options: [{ id: "a", label: "A" }],
      },
    ],
  },
};

const anIssue = (fields: object = {}) => api.issue(companyId, fields);
const anInteraction = (issueId: string, interaction: object = confirmation()) =>
  api.make(`/api/issues/${issueId}/interactions`, interaction, ada.as);
const on = (issueId: string, id: string, action: string, body: object = {}) =>
  api.post(`/api/issues/${issueId}/interactions/${id}/${action}`, body);
const wakesOf = async (issueId: string) =>
  (await api.sql<{ reason: string }[]>`select reason from wakes where issue_id = ${issueId} order by id`).map(
    ({ reason }) => reason,
  );

describe("An interaction", () => {
  it("is created by an agent, accepted by the board, and wakes the assignee once", async () => {
    const { id: issueId } = await anIssue();
    await api.patch(`/api/issues/${issueId}`, { assigneeAgentId: ada.agentId });
    const interaction = await anInteraction(issueId, {
      ...confirmation(),
      continuationPolicy: "wake_assignee",
      title: "Go?",
    });
    expect(interaction).toMatchObject({
      status: "pending",
      createdByAgentId: ada.agentId,
      sourceRunId: ada.runId,
    });
    const accepted = await on(issueId, interaction.id, "accept");
    expect(accepted.status).toBe(200);
    expect(accepted.body).toMatchObject({
      status: "accepted",
      result: { version: 1, outcome: "accepted" },
    });
    const again = await on(issueId, interaction.id, "accept");
    expect([again.status, again.body.code]).toEqual([409, "interaction_already_resolved"]);
    expect((await wakesOf(issueId)).filter((reason) => reason.startsWith("issue_card"))).toEqual([
      "issue_card_accepted",
    ]);
  });

  it.each([
    ["rejected", "reject", confirmation(), { reason: "No." }],
    ["accepted without a continuation", "accept", confirmation(), {}],
  ])("that is %s wakes no agent", async (_, action, interaction, body) => {
    const { id: issueId } = await anIssue({ assigneeAgentId: ada.agentId });
    const { id } = await anInteraction(issueId, interaction);
    expect((await on(issueId, id, action, body)).status).toBe(200);
    expect((await wakesOf(issueId)).filter((reason) => reason.startsWith("issue_card"))).toEqual([]);
  });

  it("stores the reason of a rejection, and requires one if configured", async () => {
    const { id: issueId } = await anIssue();
    const { id } = await anInteraction(issueId, confirmation({ rejectRequiresReason: true }));
    expect((await on(issueId, id, "reject", { reason: "  " })).body.code).toBe("interaction_answer_invalid");
    const { body } = await on(issueId, id, "reject", { reason: "Too dear" });
    expect(body).toMatchObject({ status: "rejected", result: { outcome: "rejected", reason: "Too dear" } });
    expect((await api.get(`/api/issues/${issueId}/comments`)).body).toEqual([]);
  });

  it("of suggested tasks creates the chosen ones with their nesting", async () => {
    const issue = await anIssue();
    const { id } = await anInteraction(issue.id, tasks);
    const lonely = await on(issue.id, id, "accept", { selectedClientKeys: ["inner"] });
    expect([lonely.status, lonely.body.code]).toEqual([422, "interaction_answer_invalid"]);
    const { body } = await on(issue.id, id, "accept", { selectedClientKeys: ["inner", "outer"] });
    const [outer, inner] = body.result.createdTasks;
    expect(outer).toMatchObject({ clientKey: "outer", parentIdentifier: issue.identifier });
    expect(inner).toMatchObject({ clientKey: "inner", parentIssueId: outer.issueId });
    expect(body.result.skippedClientKeys).toEqual(["other"]);
    expect((await api.get(`/api/issues/${inner.issueId}`)).body).toMatchObject({
      parentId: outer.issueId,
      title: "Inner",
    });
  });

  it("of suggested tasks creates all or none", async () => {
    const issue = await anIssue();
    const agent = await api.agent(companyId);
    const { id } = await anInteraction(issue.id, {
      kind: "suggest_tasks",
      payload: {
        tasks: [
          { clientKey: "a", title: "A" },
          { clientKey: "b", title: "B", parentId: issue.id, assigneeAgentId: agent.id },
        ],
      },
    });
    await api.sql`update agents set lifecycle_state = 'pending_approval' where id = ${agent.id}`;
    expect((await on(issue.id, id, "accept")).body.code).toBe("agent_not_assignable");
    expect((await api.get(`/api/companies/${companyId}/issues?parentId=${issue.id}`)).body).toEqual([]);
    expect((await api.get(`/api/issues/${issue.id}/interactions/${id}`)).body.status).toBe("pending");
  });

  it("of suggested tasks with a deleted assignee names the task, and creates the others", async () => {
    const issue = await anIssue();
    const agent = await api.agent(companyId);
    const { id } = await anInteraction(issue.id, {
      kind: "suggest_tasks",
      payload: {
        tasks: [
          { clientKey: "a", title: " A " },
          { clientKey: "b", title: "B", assigneeAgentId: agent.id.toUpperCase() },
        ],
      },
    });
    await api.post(`/api/agents/${agent.id}/terminate`);
    const { status, body } = await on(issue.id, id, "accept");
    expect([status, body.code, body.details]).toEqual([
      422,
      "agent_not_assignable",
      { path: ["payload.tasks.1.assigneeAgentId"], standing: "terminated" },
    ]);
    const { result } = (await on(issue.id, id, "accept", { selectedClientKeys: ["a"] })).body;
    expect([result.createdTasks, result.skippedClientKeys]).toMatchObject([[{ title: "A" }], ["b"]]);
  });

  it("of suggested tasks names their labels, which the created ones have", async () => {
    const issue = await anIssue();
    const label = (name: string) => api.make(`/api/companies/${companyId}/labels`, { name });
    const [red, blue, gone] = [await label("Red"), await label("Blue"), await label("Gone")];
    const { id } = await anInteraction(issue.id, {
      kind: "suggest_tasks",
      payload: {
        tasks: [
          { clientKey: "a", title: "A", labels: [red.id, gone.id, red.id] },
          { clientKey: "b", title: "B", labels: [red.id, blue.id] },
          { clientKey: "c", title: "C", hiddenInPreview: true },
        ],
      },
    });
    // A label that is deleted meanwhile leaves every issue, and the tasks of open interactions.
    await api.delete(`/api/labels/${gone.id}`);
    const { body } = await on(issue.id, id, "accept");
    const labels = async ({ issueId }: { issueId: string }) =>
      (await api.get(`/api/issues/${issueId}`)).body.labels.map(({ name }: { name: string }) => name);
    expect(await Promise.all(body.result.createdTasks.map(labels))).toEqual([["Red"], ["Blue", "Red"], []]);
  });

  it("of suggested tasks with a label of another company is refused by the field's name", async () => {
    const { id: issueId } = await anIssue();
    const { id: foreign } = await api.make(`/api/companies/${(await api.company()).id}/labels`, {
      name: "L",
    });
    for (const label of [foreign, "0192f000-0000-7000-8000-000000000000"]) {
      const { status, body } = await api.post(
        `/api/issues/${issueId}/interactions`,
        {
          kind: "suggest_tasks",
          payload: {
            tasks: [
              { clientKey: "a", title: "A" },
              { clientKey: "b", title: "B", labels: [label] },
            ],
          },
        },
        ada.as,
      );
      expect([status, body.code, body.details]).toEqual([
        422,
        "reference_not_found",
        { path: ["payload.tasks.1.labels"] },
      ]);
    }
  });

  it("of questions is answered, which wakes the assignee", async () => {
    const { id: issueId } = await anIssue({ assigneeAgentId: ada.agentId });
    const { id } = await anInteraction(issueId, questions);
    for (const [answers, about] of [
      [[], "missing"],
      [[{ questionId: "nope" }], "unknown question"],
      [[{ questionId: "colour", optionIds: ["green"] }], "unknown option"],
      [[{ questionId: "colour", optionIds: ["red", "blue"] }], "two of one"],
      [[{ questionId: "colour", optionIds: ["red"], otherText: "x" }], "words where there are none"],
    ] as const) {
      const { status, body } = await on(issueId, id, "respond", { answers });
      expect([about, status, body.code]).toEqual([about, 422, "interaction_answer_invalid"]);
    }
    const answers = [
      { questionId: "colour", optionIds: ["red"] },
      { questionId: "why", optionIds: ["a"], otherText: "It is warm." },
    ];
    const { body } = await on(issueId, id, "respond", { answers });
    expect(body).toMatchObject({ status: "answered", result: { answers } });
    expect(await wakesOf(issueId)).toContain("issue_card_answered");
  });

  it("of questions accepts text only with an option that asks for it", async () => {
    const { id: issueId } = await anIssue();
    const options = [
      { id: "plain", label: "Plain" },
      { id: "else", label: "Something else", freeText: true },
    ];
    const { id } = await anInteraction(issueId, {
      kind: "ask_user_questions",
      payload: { questions: [{ id: "q", prompt: "Which?", selectionMode: "single", options }] },
    });
    const answer = (optionId: string) =>
      on(issueId, id, "respond", {
        answers: [{ questionId: "q", optionIds: [optionId], otherText: "With a tower." }],
      });
    expect((await answer("plain")).body.code).toBe("interaction_answer_invalid");
    expect((await answer("else")).body.status).toBe("answered");
  });

  it.each([
    ["respond", confirmation(), { answers: [] }],
    ["respond", tasks, { answers: [] }],
    ["accept", questions, {}],
    ["reject", questions, {}],
  ])("is not resolved by %s if that is not its kind", async (action, interaction, body) => {
    const { id: issueId } = await anIssue();
    const { id } = await anInteraction(issueId, interaction);
    const answer = await on(issueId, id, action, body);
    expect([answer.status, answer.body.code]).toEqual([422, "interaction_wrong_kind"]);
  });

  it("is superseded by a human comment if configured, not by an agent's", async () => {
    const { id: issueId } = await anIssue();
    const [goes, stays] = [
      await anInteraction(issueId, confirmation({ supersedeOnUserComment: true })),
      await anInteraction(issueId),
    ];
    await api.make(`/api/issues/${issueId}/comments`, { body: "I go on." }, ada.as);
    const status = async (id: string) => (await api.get(`/api/issues/${issueId}/interactions/${id}`)).body;
    expect((await status(goes.id)).status).toBe("pending");
    const comment = await api.make(`/api/issues/${issueId}/comments`, { body: "Wait." });
    expect(await status(goes.id)).toMatchObject({
      status: "expired",
      result: { outcome: "superseded_by_comment", commentId: comment.id },
    });
    expect((await status(stays.id)).status).toBe("pending");
    expect((await on(issueId, goes.id, "accept")).body.code).toBe("interaction_superseded");
  });

  it("that has expired wakes the asking agent once, unless that ended the interaction itself", async () => {
    const { id: issueId } = await anIssue();
    const expired = async () =>
      (await wakesOf(issueId)).filter((reason) => reason === "issue_card_expired").length;
    await anInteraction(issueId, confirmation({ supersedeOnUserComment: true }));
    await anInteraction(issueId, confirmation({ supersedeOnUserComment: true }));
    await api.make(`/api/issues/${issueId}/comments`, { body: "Never mind." });
    expect(await expired()).toBe(1);

    const { id: otherId } = await anIssue();
    const path = `/api/issues/${otherId}/documents/plan`;
    const plan = (await api.put(path, { body: "one" })).body;
    const target = (revisionId: string) => ({ type: "issue_document", key: "plan", revisionId });
    await anInteraction(otherId, confirmation({ target: target(plan.latestRevisionId) }));
    const own = { body: "two", baseRevisionId: plan.latestRevisionId };
    const next = (await api.put(path, own, ada.as)).body;
    expect(await wakesOf(otherId)).not.toContain("issue_card_expired");
    await anInteraction(otherId, confirmation({ target: target(next.latestRevisionId) }));
    await api.put(path, { body: "three", baseRevisionId: next.latestRevisionId });
    expect((await wakesOf(otherId)).filter((reason) => reason === "issue_card_expired")).toHaveLength(1);
  });

  it("expires when its issue is closed, which wakes nobody, and is not created on a closed issue", async () => {
    const { id: issueId } = await anIssue();
    const { id } = await anInteraction(issueId, questions);
    const before = await wakesOf(issueId);
    await api.patch(`/api/issues/${issueId}`, { status: "cancelled" });
    expect(await wakesOf(issueId)).toEqual(before);
    const late = await on(issueId, id, "respond", { answers: [] });
    expect([late.status, late.body.code]).toEqual([409, "interaction_issue_closed"]);
    const refused = await api.post(`/api/issues/${issueId}/interactions`, confirmation(), ada.as);
    expect([refused.status, refused.body.code]).toEqual([409, "interaction_issue_closed"]);
  });

  it("exists once under its idempotencyKey, and another under that key is refused", async () => {
    const { id: issueId } = await anIssue();
    const first = await anInteraction(issueId, { ...tasks, idempotencyKey: "k" });
    const again = await anInteraction(issueId, { ...tasks, idempotencyKey: "k" });
    expect(again.id).toBe(first.id);
    const other = await api.post(
      `/api/issues/${issueId}/interactions`,
      { ...questions, idempotencyKey: "k" },
      ada.as,
    );
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    expect((await api.get(`/api/issues/${issueId}/interactions`)).body).toHaveLength(1);
  });

  it.each([
    [
      "two tasks of one key",
      {
        kind: "suggest_tasks",
        payload: {
          tasks: [
            { clientKey: "a", title: "A" },
            { clientKey: "a", title: "B" },
          ],
        },
      },
    ],
    [
      "a parent that is not there",
      { kind: "suggest_tasks", payload: { tasks: [{ clientKey: "a", title: "A", parentClientKey: "b" }] } },
    ],
    [
      "a circle",
      {
        kind: "suggest_tasks",
        payload: {
          tasks: [
            { clientKey: "a", title: "A", parentClientKey: "b" },
            { clientKey: "b", title: "B", parentClientKey: "a" },
          ],
        },
      },
    ],
  ])("with %s is refused", async (_, interaction) => {
    const { id: issueId } = await anIssue();
    const { status, body } = await api.post(`/api/issues/${issueId}/interactions`, interaction, ada.as);
    expect([status, body.code]).toEqual([422, "interaction_payload_invalid"]);
  });

  it("with a payload of another shape is refused by the field's name", async () => {
    const { id: issueId } = await anIssue();
    const { status, body } = await api.post(
      `/api/issues/${issueId}/interactions`,
      confirmation({ promt: "?" }),
      ada.as,
    );
    expect([status, body.details[0].path]).toEqual([400, ["payload", "promt"]]);
  });

  it("is withdrawn by its creator, and by no other agent", async () => {
    const { id: issueId } = await anIssue();
    const { id } = await anInteraction(issueId);
    const bob = await api.atWork((await api.agent(companyId)).id);
    const path = `/api/issues/${issueId}/interactions/${id}/cancel`;
    expect((await api.post(path, undefined, bob.as)).status).toBe(403);
    expect((await api.post(path, undefined, ada.as)).body).toMatchObject({ status: "cancelled" });
  });

  it("is resolved by one of two callers at once", async () => {
    const { id: issueId } = await anIssue();
    const { id } = await anInteraction(issueId, tasks);
    const both = await Promise.all([on(issueId, id, "accept"), on(issueId, id, "reject")]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe("A document", () => {
  const put = (issueId: string, body: object, key = "plan", as = ada.as) =>
    api.put(`/api/issues/${issueId}/documents/${key}`, body, as);

  it("is created, changed only on its current revision, and keeps its history", async () => {
    const { id: issueId } = await anIssue();
    const created = await put(issueId, { title: "Plan", body: "one\ntwo\n" });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ key: "plan", format: "markdown", latestRevisionNumber: 1 });
    const base = created.body.latestRevisionId;
    const blind = await put(issueId, { body: "x" });
    expect([blind.status, blind.body.code, blind.body.currentRevisionId]).toEqual([
      409,
      "document_revision_stale",
      base,
    ]);
    const changed = await put(issueId, { body: "one\n2\n", baseRevisionId: base });
    expect([changed.status, changed.body.latestRevisionNumber, changed.body.title]).toEqual([200, 2, "Plan"]);
    const stale = await put(issueId, { body: "y", baseRevisionId: base });
    expect([stale.status, stale.body.details.currentRevisionId]).toEqual([
      409,
      changed.body.latestRevisionId,
    ]);

    const path = `/api/issues/${issueId}/documents/plan`;
    const { body: revisions } = await api.get(`${path}/revisions`);
    expect(revisions.map((each: { revisionNumber: number }) => each.revisionNumber)).toEqual([2, 1]);
    const { body: diff } = await api.get(`${path}/diff?from=1&to=2`);
    expect(diff).toBe("--- plan (revision 1)\n+++ plan (revision 2)\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    expect((await api.get(`${path}/diff`)).body).toBe(diff);
    const restored = await api.post(`${path}/revisions/${base}/restore`, undefined, ada.as);
    expect(restored.body).toMatchObject({ latestRevisionNumber: 3, body: "one\ntwo\n" });
  });

  it("that two callers change at once on one revision refuses one", async () => {
    const { id: issueId } = await anIssue();
    const both = await Promise.all([put(issueId, { body: "a" }), put(issueId, { body: "b" })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("expires the confirmation of a revision that is no longer its latest", async () => {
    const { id: issueId } = await anIssue();
    const { body: plan } = await put(issueId, { body: "v1" });
    const target = { type: "issue_document", key: "Plan", revisionId: plan.latestRevisionId };
    const interaction = await anInteraction(issueId, confirmation({ target }));
    const { body: next } = await put(issueId, { body: "v2", baseRevisionId: plan.latestRevisionId });
    const late = await on(issueId, interaction.id, "accept");
    expect([late.status, late.body.code]).toEqual([409, "interaction_stale_target"]);
    expect(late.body.details.result.staleTarget.currentRevisionId).toBe(next.latestRevisionId);
    const refused = await api.post(`/api/issues/${issueId}/interactions`, confirmation({ target }), ada.as);
    expect([refused.status, refused.body.code]).toEqual([422, "interaction_payload_invalid"]);
  });

  it("that is stored again unchanged keeps its revision, whose confirmation stays open", async () => {
    const issue = await anIssue();
    const path = `/api/issues/${issue.id}/documents/plan`;
    const made = (await api.put(path, { body: "As it is", title: "Plan" })).body;
    const base = { baseRevisionId: made.latestRevisionId };
    const target = { type: "issue_document", key: "plan", revisionId: made.latestRevisionId };
    const interaction = await anInteraction(issue.id, {
      kind: "request_confirmation",
      payload: { version: 1, prompt: "This plan?", target },
    });
    const again = await api.put(path, { ...base, body: "As it is", changeSummary: "None" });
    expect([again.status, again.body]).toEqual([200, made]);
    expect((await api.get(`${path}/revisions`)).body).toHaveLength(1);
    expect((await api.get(`/api/issues/${issue.id}/interactions/${interaction.id}`)).body.status).toBe(
      "pending",
    );
    const other = await api.put(path, { ...base, body: "As it is", title: "Another" });
    expect(other.body.latestRevisionNumber).toBe(2);
  });

  it("is the plan of its issue; without one the plan of the description is used", async () => {
    const { id: issueId } = await anIssue({
      description: "See <PLAN>\n do it \n</plan> and <plan>no</plan>",
    });
    const shown = async () => (await api.get(`/api/issues/${issueId}`)).body;
    expect(await shown()).toMatchObject({
      planDocument: null,
      documentSummaries: [],
      legacyPlanDocument: { key: "plan", body: "do it", source: "issue_description" },
    });
    await put(issueId, { body: "n" }, "Notes");
    await put(issueId, { body: "p" });
    const issue = await shown();
    expect(issue).toMatchObject({ planDocument: { body: "p" }, legacyPlanDocument: null });
    expect(
      issue.documentSummaries.map(({ key, body }: { key: string; body?: string }) => [key, body]),
    ).toEqual([
      ["notes", undefined],
      ["plan", undefined],
    ]);
  });

  it("is deleted only by the board", async () => {
    const { id: issueId } = await anIssue();
    await put(issueId, { body: "p" });
    const path = `/api/issues/${issueId}/documents/plan`;
    expect((await api.delete(path, ada.as)).status).toBe(403);
    expect((await api.delete(path)).body).toEqual({ ok: true });
    expect((await api.get(path)).body.code).toBe("document_not_found");
    expect((await put(issueId, { body: "p" })).body.latestRevisionNumber).toBe(1);
  });

  it("of another agent's issue cannot be changed by an agent", async () => {
    const { id: issueId } = await anIssue({ assigneeAgentId: (await api.agent(companyId)).id });
    expect((await put(issueId, { body: "p" })).body.code).toBe("issue_not_yours");
  });

  it.each(["-plan", "a b", "ä", "a".repeat(65)])("refuses the key %j", async (key) => {
    const { id: issueId } = await anIssue();
    const { status, body } = await put(issueId, { body: "p" }, encodeURIComponent(key));
    expect([status, body.code]).toEqual([400, "document_key_invalid"]);
  });
});

describe("A comment", () => {
  const secret = "xyzzy-pasted-credential";
  const comments = async () => {
    const { id } = await api.company();
    const issue = await api.issue(id);
    const path = `/api/issues/${issue.id}/comments`;
    const comment = await api.make(path, { body: `Use ${secret}` });
    const found = async () => (await api.get(`/api/companies/${id}/issues/search?q=xyzzy`)).body.length;
    return { companyId: id, path, comment, at: `${path}/${comment.id}`, found };
  };

  it("is edited, shown as edited, and keeps its earlier text", async () => {
    const { at, comment, path } = await comments();
    expect(comment).toMatchObject({ editedAt: null, deletedAt: null });
    const edited = await api.patch(at, { body: "Use the vault" });
    expect(edited).toMatchObject({ status: 200, body: { body: "Use the vault" } });
    expect(edited.body.editedAt).not.toBeNull();
    expect((await api.patch(at, { body: "Use the vault" })).body).toEqual(edited.body);
    expect((await api.get(path)).body).toEqual([{ ...edited.body, authorName: "board" }]);
    const revisions = await api.sql`select body from comment_revisions where comment_id = ${comment.id}`;
    expect(revisions.map(({ body }) => body)).toEqual([`Use ${secret}`]);
  });

  it("is deleted with all its text, and leaves a tombstone", async () => {
    const { at, comment, companyId, path, found } = await comments();
    expect(await found()).toBe(1);
    await api.patch(at, { body: `Not ${secret}` });
    const deleted = await api.delete(at);
    expect(deleted).toMatchObject({ status: 200, body: { id: comment.id, body: "" } });
    expect((await api.delete(at)).body).toEqual(deleted.body);
    expect((await api.get(path)).body).toEqual([{ ...deleted.body, authorName: "board" }]);
    expect(await found()).toBe(0);
    expect(JSON.stringify((await api.get(`/api/companies/${companyId}/activity`)).body)).not.toContain(
      secret,
    );
    expect(await api.sql`select id from comment_revisions where comment_id = ${comment.id}`).toEqual([]);
    expect(await api.patch(at, { body: "Again" })).toMatchObject({
      status: 409,
      body: { code: "comment_deleted" },
    });
  });

  it("is changed only by its author and owners, and only in its thread", async () => {
    const { at, comment, companyId } = await comments();
    const operator = await api.user(companyId, "operator");
    expect((await api.patch(at, { body: "b" }, operator)).status).toBe(403);
    expect((await api.delete(at, operator)).status).toBe(403);
    const own = await api.make(at.slice(0, at.lastIndexOf("/")), { body: "Mine" }, operator);
    expect((await api.delete(`${at.slice(0, at.lastIndexOf("/"))}/${own.id}`, operator)).status).toBe(200);
    const other = await api.issue(companyId);
    expect(await api.delete(`/api/issues/${other.id}/comments/${comment.id}`)).toMatchObject({
      status: 404,
      body: { code: "comment_not_found" },
    });
  });
});
