import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../hosts/api/index.ts";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";
import { fileForm } from "../support/file-form.ts";

let api: ApiService;
let companyId: string;
let projectId: string;

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  projectId = (await api.make(`/api/companies/${companyId}/projects`, { name: "P" })).id;
});
afterAll(() => api?.stop());

/** The things that a working agent may write to. */
interface Desk extends AgentAtWork {
  readonly issueId: string;
}

type Write = readonly [path: string, body?: unknown];

const aDesk = async (): Promise<Desk> => {
  const agent = await api.agent(companyId);
  const { id: issueId } = await api.issue(companyId, { assigneeAgentId: agent.id });
  const work = await api.atWork(agent.id, issueId);
  const claim = { agentId: agent.id, expectedStatuses: ["todo"] };
  await api.make(`/api/issues/${issueId}/checkout`, claim, work.as);
  return { ...work, issueId };
};

const confirmation = { kind: "request_confirmation", payload: { version: 1, prompt: "Go on?" } };
const inCompany = (things: string) => `/api/companies/${companyId}/${things}`;

const aRoutine = async ({ agentId }: Desk) =>
  (await api.make(inCompany("routines"), { title: "R", assigneeAgentId: agentId, projectId })).id as string;

const aTrigger = async (desk: Desk) =>
  (await api.make(`/api/routines/${await aRoutine(desk)}/triggers`, { kind: "webhook" })).id as string;

const anApproval = async (desk?: Desk) =>
  (
    await api.make(inCompany("approvals"), {
      type: "ownership_decision",
      payload: { subject: "S", class: "tooling" },
      ...(desk === undefined ? {} : { requestedByAgentId: desk.agentId }),
    })
  ).id as string;

/** An approval that the agent may decide. */
const decidable = async ({ agentId }: Desk) => {
  await api.make(inCompany("grants"), { agentId, permission: "ownership:decide", classes: ["tooling"] });
  return anApproval();
};

/** A request to each endpoint with which agents write, granted while the agent's run is live. */
const writes: Readonly<Record<string, (desk: Desk) => Write | Promise<Write>>> = {
  "agents.invoke": ({ agentId }) => [`/api/agents/${agentId}/heartbeat/invoke`, {}],
  "issues.create": () => [inCompany("issues"), { title: "I" }],
  "issues.update": ({ issueId }) => [`/api/issues/${issueId}`, { title: "Another" }],
  "issues.checkout": async ({ agentId }) => [
    `/api/issues/${(await api.issue(companyId)).id}/checkout`,
    { agentId, expectedStatuses: ["backlog"] },
  ],
  "issues.rerunGates": async ({ issueId }) => {
    await api.sql`
      insert into gate_checks (issue_id, company_id, gate, command, commits, state, log, wakes, lease_until, started_at)
      values (${issueId}, ${companyId}, 'tests', 'npm test', '{}', 'failed', '', 0, now(), now())
    `;
    return [`/api/issues/${issueId}/gates/rerun`];
  },
  "issues.release": ({ issueId }) => [`/api/issues/${issueId}/release`],
  "issues.comment": ({ issueId }) => [`/api/issues/${issueId}/comments`, { body: "Words" }],
  "issues.commentOnLines": ({ issueId }) => [
    `/api/issues/${issueId}/line-comments`,
    { comments: [{ body: "Words" }] },
  ],
  "issues.updateComment": async ({ issueId, as }) => {
    const { id } = await api.make(`/api/issues/${issueId}/comments`, { body: "Words" }, as);
    return [`/api/issues/${issueId}/comments/${id}`, { body: "Others" }];
  },
  "issues.deleteComment": async ({ issueId, as }) => {
    const { id } = await api.make(`/api/issues/${issueId}/comments`, { body: "Words" }, as);
    return [`/api/issues/${issueId}/comments/${id}`];
  },
  "interactions.create": ({ issueId }) => [`/api/issues/${issueId}/interactions`, confirmation],
  "interactions.cancel": async ({ issueId, as }) => {
    const { id } = await api.make(`/api/issues/${issueId}/interactions`, confirmation, as);
    return [`/api/issues/${issueId}/interactions/${id}/cancel`];
  },
  "documents.put": ({ issueId }) => [`/api/issues/${issueId}/documents/plan`, { body: "text" }],
  "documents.restore": async ({ issueId }) => {
    const path = `/api/issues/${issueId}/documents/plan`;
    await api.put(path, { body: "text" });
    const [{ id }] = (await api.get(`${path}/revisions`)).body;
    return [`${path}/revisions/${id}/restore`];
  },
  "attachments.add": ({ issueId }) => [inCompany(`issues/${issueId}/attachments`), fileForm("text")],
  "attachments.remove": async ({ issueId }) => {
    const { id } = await api.make(inCompany(`issues/${issueId}/attachments`), fileForm("text"));
    return [`/api/attachments/${id}`];
  },
  "labels.create": ({ agentId }) => [inCompany("labels"), { name: agentId }],
  "routines.create": ({ agentId }) => [
    inCompany("routines"),
    { title: "R", assigneeAgentId: agentId, projectId },
  ],
  "routines.update": async (desk) => [`/api/routines/${await aRoutine(desk)}`, { title: "Another" }],
  "routines.restore": async (desk) => {
    const id = await aRoutine(desk);
    await api.patch(`/api/routines/${id}`, { title: "Another" });
    const revision = (await api.get(`/api/routines/${id}/revisions`)).body.at(-1);
    return [`/api/routines/${id}/revisions/${revision.id}/restore`];
  },
  "routines.run": async (desk) => [`/api/routines/${await aRoutine(desk)}/run`, {}],
  "routines.addTrigger": async (desk) => [
    `/api/routines/${await aRoutine(desk)}/triggers`,
    { kind: "webhook" },
  ],
  "routines.updateTrigger": async (desk) => [`/api/routine-triggers/${await aTrigger(desk)}`, { label: "L" }],
  "routines.deleteTrigger": async (desk) => [`/api/routine-triggers/${await aTrigger(desk)}`],
  "routines.rotateSecret": async (desk) => [`/api/routine-triggers/${await aTrigger(desk)}/rotate-secret`],
  "projects.create": () => [inCompany("projects"), { name: "P" }],
  "projects.update": () => [`/api/projects/${projectId}`, { description: `${Math.random()}` }],
  "goals.create": () => [inCompany("goals"), { title: "G" }],
  "goals.update": async () => {
    const { id } = await api.make(inCompany("goals"), { title: "G" });
    return [`/api/goals/${id}`, { title: "Another" }];
  },
  "approvals.create": () => [inCompany("approvals"), { type: "approve_ceo_strategy", payload: {} }],
  "approvals.hire": ({ agentId }) => [
    inCompany("agent-hires"),
    { name: `Hired by ${agentId}`, role: "general" },
  ],
  "approvals.approve": async (desk) => [
    `/api/approvals/${await decidable(desk)}/approve`,
    { chosenOwner: "Ada" },
  ],
  "approvals.reject": async (desk) => [`/api/approvals/${await decidable(desk)}/reject`, {}],
  "approvals.requestRevision": async (desk) => [
    `/api/approvals/${await decidable(desk)}/request-revision`,
    { decisionNote: "More" },
  ],
  "approvals.resubmit": async (desk) => {
    const id = await anApproval(desk);
    await api.make(`/api/approvals/${id}/request-revision`, { decisionNote: "More" });
    return [`/api/approvals/${id}/resubmit`, {}];
  },
  "approvals.comment": async () => [`/api/approvals/${await anApproval()}/comments`, { body: "Words" }],
  "approvals.link": async ({ issueId }) => [
    `/api/issues/${issueId}/approvals`,
    { approvalId: await anApproval() },
  ],
  "approvals.unlink": async ({ issueId }) => {
    const approvalId = await anApproval();
    await api.make(`/api/issues/${issueId}/approvals`, { approvalId });
    return [`/api/issues/${issueId}/approvals/${approvalId}`];
  },
};

/** Endpoints that agents may call independently of their runs. */
const exempt: Readonly<Record<string, string>> = {
  "issues.review": "a gate must name the agent; `gates.test.ts` reviews in runs",
  "agents.update": "no built-in adapter lets an agent set anything of itself",
  "issues.merge":
    "it begins without an entry in the log, on which the others wait here; `merge.test.ts` ends the run",
  "issues.openPullRequest":
    "it begins without an entry in the log, on which the others wait here; `pull-requests.test.ts` ends the run",
  "costs.report": "a report of a cost tells what has been spent already",
};

const open = endpoints.filter(
  ({ endpoint }) => endpoint.access.agent && !endpoint.access.anyone && endpoint.method !== "GET",
);

const tried = open.filter(({ name }) => name in writes).map(({ name, endpoint }) => [name, endpoint.method]);

it("Every endpoint with which agents write is tried", () => {
  const names = open.map(({ name }) => name).sort();
  expect([...Object.keys(writes), ...Object.keys(exempt)].sort()).toEqual(names);
});

describe("A request that is admitted during its run and executed after the run's end", () => {
  it.each(tried)("writes nothing: %s", async (name, method) => {
    const desk = await aDesk();
    const [path, body] = await writes[name!]!(desk);
    let answer: Promise<{ status: number; body: { code?: string } }> | null = null;
    await api.sql.begin(async (sql) => {
      await sql`lock table activity in share mode`;
      answer = api.request(method!, path, { ...desk.as, body });
      await expect.poll(() => api.waiting()).toBe(1);
      await sql`update runs set status = 'cancelled', finished_at = now() where id = ${desk.runId}`;
    });
    const { status, body: refusal } = await answer!;
    expect(`${status} ${refusal.code}`).toBe("401 run_ended");
  });
});

describe("A request of a run that is to be stopped, and is still live", () => {
  it.each(tried)("writes nothing: %s", async (name, method) => {
    const desk = await aDesk();
    const [path, body] = await writes[name!]!(desk);
    await api.sql`
      update  runs
      set     status = 'running', started_at = now(), stop_requested_at = now(), stop_reason = 'cancelled'
      where   id = ${desk.runId}
    `;
    const [before] = await api.sql`select count(*) from activity`;
    const { status, body: refusal } = await api.request(method!, path, { ...desk.as, body });
    expect(`${status} ${refusal.code} ${refusal.error}`).toMatch(/^401 run_ended This run is being stopped/);
    expect(await api.sql`select count(*) from activity`).toEqual([before]);
  });

  it("reads", async () => {
    const desk = await aDesk();
    await api.sql`update runs set stop_requested_at = now(), stop_reason = 'cancelled' where id = ${desk.runId}`;
    expect((await api.get(`/api/issues/${desk.issueId}`, desk.as)).status).toBe(200);
    expect((await api.get("/api/agents/me", desk.as)).status).toBe(200);
  });
});
