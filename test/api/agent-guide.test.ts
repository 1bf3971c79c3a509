import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../hosts/api/index.ts";
import { agentGuide } from "../../hosts/api/system/agent-guide.ts";
import { tools } from "../../hosts/mcp/tools.ts";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let companyId: string;
let ada: AgentAtWork;
let bob: AgentAtWork;
beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  ada = await api.atWork((await api.agent(companyId)).id);
  bob = await api.atWork((await api.agent(companyId)).id);
});
afterAll(() => api?.stop());

/** One line of text, in which a sentence is found wherever the guide breaks it. */
const text = agentGuide.replace(/\s+/g, " ");

const wakesAbout = async (issueId: string) =>
  (
    await api.sql<{ reason: string; agent_id: string }[]>`
      select reason, agent_id from wakes where issue_id = ${issueId} and reason like 'issue_card%' order by id
    `
  ).map(({ reason, agent_id }) => [reason, agent_id]);

const askedBy = async (agent: AgentAtWork, issue: object, payload: object) => {
  const { id: issueId } = await api.issue(companyId, issue);
  const interaction = {
    kind: "request_confirmation",
    continuationPolicy: "wake_assignee",
    payload: { prompt: "Shall I?", ...payload },
  };
  const { id } = await api.make(`/api/issues/${issueId}/interactions`, interaction, agent.as);
  const status = async () =>
    (await api.get(`/api/issues/${issueId}/interactions`)).body.find((each: { id: string }) => each.id === id)
      .status;
  const decide = (verb: string, body?: object) =>
    api.make(`/api/issues/${issueId}/interactions/${id}/${verb}`, body);
  const comment = () => api.make(`/api/issues/${issueId}/comments`, { body: "Wait." });
  return { issueId, status, decide, comment };
};

describe("The guide for agents", () => {
  it("names calls that exist", () => {
    const calls = [
      ...agentGuide.matchAll(/\b(GET|POST|PATCH|PUT) +(?:\$SERVICE_API_URL|…)(\/api\/[^\s?;]+)/g),
    ];
    expect(calls.length).toBeGreaterThan(20);
    const declared = new Set(
      endpoints.map(({ endpoint: { method, path } }) => `${method} ${path.replace(/\{\w+\}/g, "*")}`),
    );
    const fixed = ["documents/plan"];
    for (const [, method, path] of calls) {
      const pattern = path!.replace(/\$\w+|\{\w+\}/g, "*");
      const generic = fixed.some((end) => pattern.endsWith(end)) ? pattern.replace(/[^/]+$/, "*") : pattern;
      expect([pattern, declared.has(`${method} ${generic}`)]).toEqual([pattern, true]);
    }
  });

  it("names tools that exist", () => {
    const named = /\((my_task, [a-z_, ]+), …\)/.exec(text)![1]!.split(", ");
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...named, "find_operation"]));
  });

  it("says whom an accepted question wakes", async () => {
    expect(text).toContain("Acceptance wakes the assignee of the issue, or you if it has none");
    const assigned = await askedBy(ada, { assigneeAgentId: bob.agentId }, {});
    await assigned.decide("accept");
    expect(await wakesAbout(assigned.issueId)).toEqual([["issue_card_accepted", bob.agentId]]);
    const unassigned = await askedBy(ada, {}, {});
    await unassigned.decide("accept");
    expect(await wakesAbout(unassigned.issueId)).toEqual([["issue_card_accepted", ada.agentId]]);
  });

  it("says that a rejection wakes nobody", async () => {
    expect(text).toContain("a rejection wakes nobody");
    const { issueId, decide } = await askedBy(ada, { assigneeAgentId: bob.agentId }, {});
    await decide("reject", { reason: "No." });
    expect(await wakesAbout(issueId)).toEqual([]);
  });

  it("says when a person's comment cancels a question", async () => {
    expect(text).toContain("The question stays open when people comment.");
    const usual = await askedBy(ada, { assigneeAgentId: bob.agentId }, {});
    await usual.comment();
    expect(await usual.status()).toBe("pending");
    expect(text).toContain(
      `With "supersedeOnUserComment":true in the payload a person's comment cancels it and wakes you`,
    );
    const chosen = await askedBy(ada, { assigneeAgentId: bob.agentId }, { supersedeOnUserComment: true });
    await chosen.comment();
    expect(await chosen.status()).toBe("expired");
    expect(await wakesAbout(chosen.issueId)).toEqual([["issue_card_expired", ada.agentId]]);
  });

  it("says that work is claimed for oneself only", async () => {
    expect(text).toContain("claiming an issue for another agent is a 403, also by PATCH and in new issues");
    const { id } = await api.issue(companyId, { assigneeAgentId: bob.agentId });
    const claim = { agentId: bob.agentId, expectedStatuses: ["todo", "backlog", "blocked", "in_review"] };
    const begun = { status: "in_progress", assigneeAgentId: bob.agentId };
    for (const { status } of [
      await api.post(`/api/issues/${id}/checkout`, claim, ada.as),
      await api.request("PATCH", `/api/issues/${id}`, { body: begun, ...ada.as }),
      await api.post(`/api/companies/${companyId}/issues`, { title: "T", ...begun }, ada.as),
    ])
      expect(status).toBe(403);
    const own = { agentId: ada.agentId, expectedStatuses: ["todo"] };
    const { id: mine } = await api.issue(companyId, { assigneeAgentId: ada.agentId });
    for (const _ of ["first", "again"])
      expect((await api.post(`/api/issues/${mine}/checkout`, own, ada.as)).status).toBe(200);
  });
});
