import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bound, bounds } from "../../core/model/shared/bounds.ts";
import { type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
beforeAll(async () => {
  api = await startApi({ env: { SERVICE_RATE_PER_CALLER: "0", SERVICE_RATE_PER_COMPANY: "0" } });
});
afterAll(() => api?.stop());

interface Scene {
  readonly companyId: string;
  readonly as: Parameters<ApiService["get"]>[1];
}

interface Answer {
  readonly status: number;
  readonly body: { readonly id: string; readonly code?: string; readonly details?: unknown };
}

/** How an agent makes one of the things that are bounded, and how one of them goes. */
interface Making {
  readonly make: (n: number) => Promise<Answer>;
  /** Stores that many, so that one more is refused. */
  readonly fill?: (most: number) => Promise<unknown>;
  /** Makes room for one; null: nothing does. */
  readonly free: ((made: readonly Answer[]) => Promise<unknown>) | null;
}

const confirmation = { kind: "request_confirmation", payload: { version: 1, prompt: "Go on?" } };
const strategy = { type: "approve_ceo_strategy", payload: {} };

const makings: Readonly<Record<Bound, (scene: Scene) => Promise<Making>>> = {
  openApprovals: async ({ companyId, as }) => ({
    make: (n) =>
      n % 2 === 0
        ? api.post(`/api/companies/${companyId}/approvals`, strategy, as)
        : api.post(`/api/companies/${companyId}/agent-hires`, { name: `Hire ${n}` }, as).then(approvalOf),
    free: ([first]) => api.make(`/api/approvals/${first!.body.id}/approve`, {}),
  }),
  openInteractions: async ({ companyId, as }) => {
    const issues = [await api.issue(companyId), await api.issue(companyId)];
    return {
      make: (n) => api.post(`/api/issues/${issues[n % 2]!.id}/interactions`, confirmation, as),
      free: ([first]) =>
        api.make(`/api/issues/${issues[0]!.id}/interactions/${first!.body.id}/reject`, { reason: "No." }),
    };
  },
  approvalRounds: async ({ companyId, as }) => {
    const { body } = await api.post(`/api/companies/${companyId}/approvals`, strategy, as);
    return {
      make: async () => {
        await api.post(`/api/approvals/${body.id}/request-revision`, { decisionNote: "Again." });
        return api.post(`/api/approvals/${body.id}/resubmit`, {}, as);
      },
      fill: (most) => api.sql`update approvals set payload_revision = ${most + 1} where id = ${body.id}`,
      free: null,
    };
  },
  approvalIssues: async ({ companyId, as }) => {
    const { body } = await api.post(`/api/companies/${companyId}/approvals`, strategy, as);
    return {
      make: async () => {
        const issue = await api.issue(companyId);
        return api.post(`/api/issues/${issue.id}/approvals`, { approvalId: body.id }, as);
      },
      free: async () => {
        const [linked] = (await api.get(`/api/approvals/${body.id}/issues`)).body;
        await api.delete(`/api/issues/${linked.id}/approvals/${body.id}`);
      },
    };
  },
  issuesOfPerson: async ({ companyId, as }) => {
    const { id: assigneeUserId } = await api.user(companyId, "operator");
    return {
      make: (n) => api.post(`/api/companies/${companyId}/issues`, { title: `I ${n}`, assigneeUserId }, as),
      free: ([first]) => api.patch(`/api/issues/${first!.body.id}`, { status: "done" }),
    };
  },
  blockedIssues: async ({ companyId, as }) => {
    const { id } = await api.issue(companyId);
    return {
      make: (n) =>
        api.post(`/api/companies/${companyId}/issues`, { title: `I ${n}`, blockedByIssueIds: [id] }, as),
      free: ([first]) => api.patch(`/api/issues/${first!.body.id}`, { blockedByIssueIds: [] }),
    };
  },
  documents: async ({ companyId }) => {
    const { id: agentId } = await api.agent(companyId);
    const { id: issueId } = await api.issue(companyId, { assigneeAgentId: agentId });
    const { as } = await api.atWork(agentId, issueId);
    return {
      make: (n) => api.put(`/api/issues/${issueId}/documents/d${n}`, { body: "text" }, as),
      free: () => api.delete(`/api/issues/${issueId}/documents/d0`),
    };
  },
  labels: async ({ companyId, as }) => ({
    make: (n) => api.post(`/api/companies/${companyId}/labels`, { name: `L ${n}` }, as),
    free: ([first]) => api.delete(`/api/labels/${first!.body.id}`),
  }),
  routinesOfAgent: async ({ companyId }) => {
    const { id: assigneeAgentId } = await api.agent(companyId);
    const { as } = await api.atWork(assigneeAgentId);
    const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "P" });
    return {
      make: (n) =>
        api.post(`/api/companies/${companyId}/routines`, { title: `R ${n}`, assigneeAgentId, projectId }, as),
      free: null,
    };
  },
  eventSubscriptions: async ({ companyId }) => {
    const path = `/api/companies/${companyId}/event-subscriptions`;
    return {
      make: () => api.post(path, { url: "https://hooks.invalid/", events: ["issue.*"] }),
      free: ([first]) => api.delete(`/api/event-subscriptions/${first!.body.id}`),
    };
  },
  triggers: async ({ companyId }) => {
    const { id: assigneeAgentId } = await api.agent(companyId);
    const { as } = await api.atWork(assigneeAgentId);
    const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "P" });
    const routine = await api.make(`/api/companies/${companyId}/routines`, {
      ...{ title: "R", assigneeAgentId, projectId },
    });
    return {
      make: () => api.post(`/api/routines/${routine.id}/triggers`, { kind: "api" }, as),
      free: async () => {
        const [first] = (await api.get(`/api/routines/${routine.id}`)).body.triggers;
        await api.delete(`/api/routine-triggers/${first.id}`);
      },
    };
  },
};

/** A hire answers with its agent and its approval. */
const approvalOf = (answer: Answer): Answer => {
  const { approval } = answer.body as { readonly approval?: Answer["body"] };
  return { status: answer.status, body: approval ?? answer.body };
};

describe("Things that agents create and that one read returns all of", () => {
  it.each(Object.keys(bounds) as Bound[])("have a bound: %s", async (bound) => {
    const { id: companyId } = await api.company();
    const { as } = await api.atWork((await api.agent(companyId)).id);
    const { make, fill, free } = await makings[bound]({ companyId, as });
    const { most } = bounds[bound];
    const made: Answer[] = [];
    if (fill !== undefined) await fill(most);
    else
      for (let from = 0; from < most; from += 10)
        made.push(...(await Promise.all(Array.from({ length: 10 }, (_, n) => make(from + n)))));
    expect(made.filter(({ status }) => status >= 300)).toEqual([]);
    const refused = await make(most);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "too_many_records", details: { bound, most } },
    });
    if (free === null) return;
    await free(made);
    expect((await make(most + 2)).status).toBeLessThan(300);
  });
});
