import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { NotAllowed } from "../../core/model/shared/failure.ts";
import { type PathParam, paramNames } from "../../hosts/api/endpoint/params.ts";
import { endpoints, type NamedEndpoint } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { fileForm } from "../support/file-form.ts";
import {
  anEventDelivery,
  anEventSubscription,
  anMcpServer,
  aRepository,
  aTree,
} from "../support/one-of-each.ts";
import { sampled } from "../support/sample.ts";
import { outcomeOf, type RawAnswer, type RawRequest } from "../support/service.ts";
import { type CallerName, callers, expectations } from "./tenancy-expectations.ts";

let api: ApiService;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await build();
});
afterAll(() => api?.stop());

type Params = Readonly<Record<PathParam, string>>;

interface World {
  /** Things of company A; those with an owner belong to `own`. */
  readonly a: Params;
  /** Their counterparts in company B. */
  readonly b: Params;
  readonly tokens: Readonly<Record<"outsider" | "viewer" | "operator" | "owner", string>>;
  readonly ownerId: string;
  readonly agents: Readonly<Record<"own" | "peer" | "foreignAgent", { id: string; token: string }>>;
  readonly dead: Readonly<Record<"terminatedAgent" | "revokedKey", string>>;
}

const strategy = (requestedByAgentId: string) => ({
  type: "approve_ceo_strategy",
  payload: {},
  requestedByAgentId,
});

const localVault = { provider: "local_encrypted", displayName: "V" };

const granted = (agentId: string) => ({ agentId, permission: "ownership:decide", classes: ["tooling"] });

const confirmation = { kind: "request_confirmation", payload: { version: 1, prompt: "Go on?" } };

const question = {
  kind: "ask_user_questions",
  payload: {
    version: 1,
    questions: [{ id: "q", prompt: "Which?", selectionMode: "single", options: [{ id: "a", label: "A" }] }],
  },
};

const attach = (companyId: string, issueId: string) =>
  api.make(`/api/companies/${companyId}/issues/${issueId}/attachments`, fileForm("text"));

/** A new one for each attempt, because the attempt deletes it. */
const doomedAttachment = async (): Promise<Attempt> => ({
  params: { attachmentId: (await attach(world.a.companyId, world.a.issueId)).id },
});

const build = async (): Promise<World> => {
  const things = async (companyId: string, userId: string): Promise<Params> => {
    const { id: agentId } = await api.agent(companyId);
    const { id: issueId } = await api.issue(companyId);
    const { id: runId } = await api.make(`/api/agents/${agentId}/heartbeat/invoke`, { issueId });
    const { id: keyId } = await api.make(`/api/agents/${agentId}/keys`);
    const [revision] = (await api.get(`/api/agents/${agentId}/config-revisions`)).body;
    const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "P" });
    const { id: goalId } = await api.make(`/api/companies/${companyId}/goals`, { title: "G" });
    const routine = { title: "R", assigneeAgentId: agentId, projectId };
    const { id: routineId } = await api.make(`/api/companies/${companyId}/routines`, routine);
    const { id: triggerId, publicId } = await api.make(`/api/routines/${routineId}/triggers`, {
      kind: "webhook",
    });
    const { id: approvalId } = await api.make(`/api/companies/${companyId}/approvals`, strategy(agentId));
    const { id: grantId } = await api.make(`/api/companies/${companyId}/grants`, granted(agentId));
    const { id: secretId } = await api.make(`/api/companies/${companyId}/secrets`, {
      name: "S",
      value: "a value of some length",
    });
    const { id: vaultId } = await api.make(`/api/companies/${companyId}/secret-provider-configs`, localVault);
    const { id: tokenId } = await api.make("/api/board-tokens", { name: "t", userId });
    const { id: interactionId } = await api.make(`/api/issues/${issueId}/interactions`, confirmation);
    const { id: commentId } = await api.make(`/api/issues/${issueId}/comments`, { body: "Words" });
    const key = "plan";
    await api.put(`/api/issues/${issueId}/documents/${key}`, { body: "text" });
    const [documentRevision] = (await api.get(`/api/issues/${issueId}/documents/${key}/revisions`)).body;
    const attachment = await attach(companyId, issueId);
    const { id: labelId } = await api.make(`/api/companies/${companyId}/labels`, { name: "L" });
    return {
      adapterType: "process",
      runnerName: "local",
      secretVersion: "1",
      attachmentId: attachment.id,
      assetId: attachment.assetId,
      labelId,
      savedViewId: randomUUID(),
      assistantId: randomUUID(),
      passkeyId: randomUUID(),
      unsubscribeToken: randomUUID(),
      pushSubscriptionId: randomUUID(),
      sessionId: randomUUID(),
      interactionId,
      commentId,
      entryId: `unhealthy_vault:${vaultId}`,
      key,
      documentRevisionId: documentRevision.id,
      companyId,
      agentId,
      issueId,
      runId,
      keyId,
      revisionId: revision.id,
      projectId,
      goalId,
      mcpServerId: await anMcpServer(api, companyId),
      eventSubscriptionId: await anEventSubscription(api, companyId),
      eventDeliveryId: await anEventDelivery(api, companyId),
      repositoryId: await aRepository(api, companyId, projectId),
      workspaceId: await aTree(api, companyId, issueId),
      approvalId,
      grantId,
      secretId,
      vaultId,
      routineId,
      triggerId,
      publicId,
      tokenId,
      userId,
    };
  };
  const [a, b] = [await api.company("A"), await api.company("B")];
  const viewer = await api.user(a.id, "viewer");
  const operator = await api.user(a.id, "operator");
  const owner = await api.user(a.id, "owner");
  const outsider = await api.user(b.id, "owner");
  const ofA = await things(a.id, (await api.user(a.id, "viewer")).id);
  const ofB = await things(b.id, (await api.user(b.id, "viewer")).id);
  const caller = async (id: string) => ({ id, token: (await api.make(`/api/agents/${id}/keys`)).token });
  const terminated = await caller((await api.agent(a.id)).id);
  await api.make(`/api/agents/${terminated.id}/terminate`);
  const own = await caller(ofA.agentId);
  const revoked = await api.make(`/api/agents/${own.id}/keys`);
  await api.delete(`/api/agents/${own.id}/keys/${revoked.id}`);
  return {
    a: ofA,
    b: ofB,
    tokens: {
      outsider: outsider.token,
      viewer: viewer.token,
      operator: operator.token,
      owner: owner.token,
    },
    ownerId: owner.id,
    agents: {
      own,
      peer: await caller((await api.agent(a.id)).id),
      foreignAgent: await caller(ofB.agentId),
    },
    dead: { terminatedAgent: terminated.token, revokedKey: revoked.token },
  };
};

/** The credentials of a caller. A working agent acts in a live run. */
const credentials = async (caller: CallerName): Promise<RawRequest> => {
  switch (caller) {
    case "anonymous":
      return { token: null };
    case "badToken":
      return { token: `brd_${"0".repeat(48)}` };
    case "admin":
      return {};
    case "terminatedAgent":
    case "revokedKey":
      return { token: world.dead[caller] };
    case "own":
    case "peer":
    case "foreignAgent": {
      const { id, token } = world.agents[caller];
      const { id: runId } = await api.make(`/api/agents/${id}/heartbeat/invoke`);
      return { token, headers: { "x-service-run-id": runId } };
    }
    default:
      return { token: world.tokens[caller] };
  }
};

interface Attempt {
  /** Things that replace the existing ones in the request. */
  readonly params?: Partial<Params>;
  readonly query?: string;
  readonly body?: unknown;
}

const isBoard = (caller: CallerName) =>
  caller === "viewer" || caller === "operator" || caller === "owner" || caller === "admin";

/** An agent that the attempt may terminate. */
const expendableAgent = async (caller: CallerName): Promise<Attempt> =>
  isBoard(caller) ? { params: { agentId: (await api.agent(world.a.companyId)).id } } : {};

/** An issue in progress that a live run of `own` holds. */
const checkedOutIssue = async (): Promise<string> => {
  const { id } = await api.issue(world.a.companyId);
  const body = { agentId: world.agents.own.id, expectedStatuses: ["backlog"] };
  const { status } = await api.post(`/api/issues/${id}/checkout`, body, await credentials("own"));
  expect(status).toBe(200);
  return id;
};

/** An open interaction of `own`, which has a bounded number of them. */
const pendingInteraction = (interaction: object, body?: unknown) => async (): Promise<Attempt> => {
  const path = `/api/issues/${world.a.issueId}/interactions`;
  if (formerInteraction !== null) await api.post(`${path}/${formerInteraction}/cancel`, {});
  const { id } = await api.make(path, interaction, await credentials("own"));
  formerInteraction = id;
  return { params: { interactionId: id }, body };
};
let formerInteraction: string | null = null;

/** A comment that `own` wrote. */
const ownComment = async (): Promise<Attempt> => {
  const path = `/api/issues/${world.a.issueId}/comments`;
  return { params: { commentId: (await api.make(path, { body: "c" }, await credentials("own"))).id } };
};

const onHeldIssue = (body?: unknown) => async () => ({ params: { issueId: await checkedOutIssue() }, body });

/** An open approval that `own` requested. */
/** Of the owner. */
const aSavedView = async (): Promise<Attempt> => {
  const view = { name: randomUUID(), query: "" };
  const path = `/api/companies/${world.a.companyId}/saved-views`;
  const { body } = await api.put(path, view, { token: world.tokens.owner });
  return { params: { savedViewId: body.id } };
};

const openApproval = async (body: unknown = {}): Promise<Attempt> => {
  const path = `/api/companies/${world.a.companyId}/approvals`;
  return { params: { approvalId: (await api.make(path, strategy(world.a.agentId))).id }, body };
};

const anAssertion = {
  id: "AA",
  type: "public-key",
  response: { clientDataJSON: "AA", authenticatorData: "AA", signature: "AA" },
};

/** The requests of the endpoints that need more than a path. */
const attempts: Readonly<Record<string, (caller: CallerName) => Promise<Attempt> | Attempt>> = {
  "companies.create": () => ({ body: { name: "C" } }),
  "companies.applyTemplate": () => ({ body: { template: {} } }),
  "companies.importTemplate": () => ({ body: { name: "I", template: {} } }),
  "companies.setHouseRules": async () => ({
    body: {
      body: randomUUID(),
      baseRevisionNumber: (await api.get(`/api/companies/${world.a.companyId}/house-rules`)).body
        .revisionNumber,
    },
  }),
  "companies.update": () => ({ body: { description: randomUUID() } }),
  "adapters.install": () => ({ body: { localPath: "/no/where" } }),
  "agents.create": () => ({ body: { name: `New ${randomUUID()}`, adapterType: "process" } }),
  "agents.update": () => ({ body: { title: randomUUID() } }),
  "agents.syncSkills": () => ({ body: { desiredSkills: [] } }),
  "agents.pause": expendableAgent,
  "agents.resume": expendableAgent,
  "agents.terminate": expendableAgent,
  "agents.revokeKey": async () => {
    const { id: keyId } = await api.make(`/api/agents/${world.a.agentId}/keys`);
    return { params: { keyId } };
  },
  "issues.create": () => ({ body: { title: "I" } }),
  "issues.updateMany": () => ({ body: { issueIds: [world.a.issueId], priority: "low" } }),
  "issues.update": onHeldIssue({ comment: "c" }),
  "issues.checkout": async (caller) => ({
    params: { issueId: await checkedOutIssue() },
    body: {
      agentId: world.agents[caller === "peer" || caller === "foreignAgent" ? caller : "own"].id,
      expectedStatuses: ["backlog", "todo", "in_progress"],
    },
  }),
  "issues.release": onHeldIssue(),
  "issues.review": onHeldIssue({ verdict: "approved", commits: [] }),
  "issues.setGates": () => ({ body: { gates: null } }),
  "projects.setGates": () => ({ body: { gates: [] } }),
  "issues.merge": onHeldIssue({ method: "squash" }),
  "issues.comment": onHeldIssue({ body: "c" }),
  "issues.commentOnLines": onHeldIssue({ comments: [{ body: "c" }] }),
  "issues.updateComment": async () => ({ ...(await ownComment()), body: { body: randomUUID() } }),
  "issues.deleteComment": () => ownComment(),
  "routines.create": () => ({
    body: { title: "R", assigneeAgentId: world.a.agentId, projectId: world.a.projectId },
  }),
  "routines.update": () => ({ body: { description: randomUUID() } }),
  "routines.restore": async () => {
    const path = `/api/routines/${world.a.routineId}`;
    const { latestRevisionId: revisionId } = (await api.patch(path, { description: randomUUID() })).body;
    await api.patch(path, { description: randomUUID() });
    return { params: { revisionId } };
  },
  "routines.addTrigger": () => ({ body: { kind: "api" } }),
  "routines.previewFires": () => ({ query: "?cronExpression=@daily" }),
  "routines.updateTrigger": () => ({ body: { label: randomUUID() } }),
  "routines.deleteTrigger": async () => {
    const { id: triggerId } = await api.make(`/api/routines/${world.a.routineId}/triggers`, { kind: "api" });
    return { params: { triggerId } };
  },
  "approvals.create": () => ({ body: { type: "approve_ceo_strategy", payload: {} } }),
  "approvals.hire": () => ({ body: { name: `Hire ${randomUUID()}` } }),
  "approvals.approve": () => openApproval(),
  "approvals.reject": () => openApproval(),
  "approvals.requestRevision": () => openApproval(),
  "approvals.resubmit": async () => {
    const attempt = await openApproval();
    await api.make(`/api/approvals/${attempt.params?.approvalId}/request-revision`);
    return attempt;
  },
  "approvals.comment": () => ({ body: { body: "c" } }),
  "approvals.link": () => ({ body: { approvalId: world.a.approvalId } }),
  "grants.create": () => ({ body: granted(world.a.agentId) }),
  "inbox.dismiss": async () => {
    const { companyId } = world.a;
    const vault = await api.make(`/api/companies/${companyId}/secret-provider-configs`, localVault);
    await api.sql`update vaults set status = 'error' where id = ${vault.id}`;
    const entryId = `unhealthy_vault:${vault.id}`;
    const entries = (await api.get(`/api/companies/${companyId}/inbox`)).body as {
      id: string;
      version: string;
    }[];
    return { params: { entryId }, body: { version: entries.find(({ id }) => id === entryId)?.version } };
  },
  "costs.report": () => ({
    body: { agentId: world.a.agentId, provider: "acme", model: "m", costCents: 1 },
  }),
  "documents.put": () => ({ params: { key: `k${randomUUID()}` }, body: { body: "text" } }),
  "documents.delete": async () => {
    const key = `k${randomUUID()}`;
    await api.put(`/api/issues/${world.a.issueId}/documents/${key}`, { body: "text" });
    return { params: { key } };
  },
  "attachments.add": () => ({ body: fileForm("text") }),
  "attachments.remove": doomedAttachment,
  "assets.addLogo": () => ({ body: fileForm("GIF89a") }),
  "issues.search": () => ({ query: "?q=word" }),
  "labels.create": () => ({ body: { name: randomUUID() } }),
  "labels.delete": async () => ({
    params: {
      labelId: (await api.make(`/api/companies/${world.a.companyId}/labels`, { name: randomUUID() })).id,
    },
  }),
  "interactions.create": () => ({ body: confirmation }),
  "interactions.accept": pendingInteraction(confirmation),
  "interactions.reject": pendingInteraction(confirmation),
  "interactions.respond": pendingInteraction(question, { answers: [{ questionId: "q", optionIds: ["a"] }] }),
  "interactions.cancel": pendingInteraction(confirmation),
  "projects.create": () => ({ body: { name: "P" } }),
  "projects.update": () => ({ body: { description: randomUUID() } }),
  "secrets.create": () => ({ body: { name: randomUUID(), value: "a value of some length" } }),
  "secrets.update": () => ({ body: { description: randomUUID() } }),
  "secrets.rotate": () => ({ body: { value: "another value" } }),
  "secrets.updateVersion": () => ({ body: { status: "active" }, params: { secretVersion: "1" } }),
  "secrets.delete": async () => ({
    params: {
      secretId: (
        await api.make(`/api/companies/${world.a.companyId}/secrets`, {
          name: randomUUID(),
          value: "a value of some length",
        })
      ).id,
    },
  }),
  "secrets.previewImport": () => ({ body: { providerConfigId: world.a.vaultId } }),
  "secrets.import": () => ({
    body: { providerConfigId: world.a.vaultId, secrets: [{ externalRef: "prod/db" }] },
  }),
  "vaults.create": () => ({ body: localVault }),
  "vaults.update": () => ({ body: { displayName: randomUUID() } }),
  "vaults.disable": async () => ({
    params: {
      vaultId: (await api.make(`/api/companies/${world.a.companyId}/secret-provider-configs`, localVault)).id,
    },
  }),
  "mcpServers.create": () => ({ body: { name: "tickets", url: "http://127.0.0.1:9/" } }),
  "mcpServers.update": () => ({ body: { url: "http://127.0.0.1:9/" } }),
  "mcpServers.remove": async () => ({
    params: { mcpServerId: await anMcpServer(api, world.a.companyId) },
  }),
  "eventSubscriptions.create": () => ({ body: { url: "https://hooks.invalid/", events: ["issue.*"] } }),
  "eventSubscriptions.update": () => ({ body: { events: ["approval.created"] } }),
  "eventSubscriptions.redeliverAll": () => ({
    body: { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" },
  }),
  "eventSubscriptions.remove": async () => ({
    params: { eventSubscriptionId: await anEventSubscription(api, world.a.companyId) },
  }),
  "repositories.create": () => ({ body: { url: "https://git.invalid/x.git", directory: "x" } }),
  "repositories.update": () => ({ body: { defaultBranch: "other" } }),
  "repositories.remove": async () => ({
    params: { repositoryId: await aRepository(api, world.a.companyId, world.a.projectId) },
  }),
  "runs.say": () => ({ body: { body: "Look here." } }),
  "workspaces.restore": () => ({ body: {} }),
  "workspaces.remove": () => ({ body: {} }),
  "goals.create": () => ({ body: { title: "G" } }),
  "goals.update": () => ({ body: { description: randomUUID() } }),
  "members.set": () => ({ body: { role: "viewer" } }),
  "members.invite": () => ({ body: { name: "New", role: "viewer" } }),
  "members.remove": async () => ({
    params: { userId: (await api.user(world.a.companyId, "viewer")).id },
  }),
  "users.create": () => ({ body: { name: "U" } }),
  "session.createByCode": () => ({ body: { code: "x".repeat(43) } }),
  "session.createByPasskey": () => ({ body: { flow: "f", response: anAssertion } }),
  "session.verify": () => ({ body: { flow: "f", response: anAssertion } }),
  "assistants.check": () => ({ body: { request: "client_id=none" } }),
  "assistants.allow": () => ({ body: { request: "client_id=none", scopes: ["read"] } }),
  "passkeys.create": () => ({
    body: {
      name: "Phone",
      flow: "f",
      response: {
        id: "AA",
        type: "public-key",
        response: { clientDataJSON: "AA", attestationObject: "AA" },
      },
    },
  }),
  "pushSubscriptions.save": () => ({
    body: {
      endpoint: "https://192.88.99.1/send/1",
      keys: { p256dh: `B${"A".repeat(86)}`, auth: "A".repeat(22) },
    },
  }),
  "pushSubscriptions.remove": () => ({ query: "?endpoint=https://192.88.99.1/send/1" }),
  "session.beginByProvider": () => ({ body: { provider: "none" } }),
  "session.createByProvider": () => ({ body: { provider: "none", flow: "f", response: "code=c" } }),
  "users.update": () => ({ body: { name: randomUUID() } }),
  "tokens.create": () => ({ body: { name: "t" } }),
  "issues.progress": () => ({ query: "?by=project" }),
  "session.saveNotices": () => ({
    body: {
      channels: {
        push: { kinds: [], graceSec: 5 },
        email: { kinds: [], graceSec: 60 },
        chat: { kinds: [], graceSec: 60 },
      },
      companies: [],
      timeZone: "UTC",
      quietHours: null,
      digestAt: "08:00",
    },
  }),
  "session.testNotice": () => ({ body: { channel: "email" } }),
  "session.setEmail": () => ({ body: { address: "ada@example.org" } }),
  "session.setChat": () => ({ body: { format: "slack", url: "https://192.88.99.1/hook" } }),
  "session.confirmEmail": () => ({ body: { code: "x".repeat(43) } }),
  "session.seeNotices": () => ({ body: { stays: false } }),
  "session.update": () => ({ body: { name: "N" } }),
  "savedViews.save": () => ({ body: { name: "Urgent", query: "priority=critical" } }),
  "savedViews.rename": async () => ({ ...(await aSavedView()), body: { name: randomUUID() } }),
  "savedViews.delete": () => aSavedView(),
  "session.end": async () => {
    const owner = { token: world.tokens.owner };
    await api.post("/api/session", undefined, owner);
    return { params: { sessionId: (await api.get("/api/sessions", owner)).body[0].id } };
  },
  "tokens.revoke": async () => {
    const { id: tokenId } = await api.make("/api/board-tokens", { name: "t", userId: world.ownerId });
    return { params: { tokenId } };
  },
};

/** Restores the things that the attempt changed and others need. */
const restore: Readonly<Record<string, () => Promise<unknown>>> = {
  "companies.pause": () => api.make(`/api/companies/${world.a.companyId}/resume`),
  "companies.archive": () => api.make(`/api/companies/${world.a.companyId}/resume`),
};

const ask = (
  { endpoint }: NamedEndpoint,
  params: Params,
  body: unknown,
  raw: RawRequest,
  query = "",
): Promise<RawAnswer> => {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: PathParam) => params[name]) + query;
  return endpoint.media === "events"
    ? begin(path, raw)
    : api.request(endpoint.method, path, { ...raw, body: endpoint.body === null ? undefined : (body ?? {}) });
};

/** Reads the beginning of an endless answer. */
const begin = async (path: string, { token = api.token, headers }: RawRequest): Promise<RawAnswer> => {
  const gone = new AbortController();
  const answer = await fetch(api.url + path, {
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    signal: gone.signal,
  });
  const body = answer.status === 200 ? "" : await answer.json();
  gone.abort();
  return { status: answer.status, headers: answer.headers, body };
};

describe("Access", () => {
  it("has an expected row for every endpoint, and an endpoint for every row", () => {
    expect(endpoints.map(({ name }) => name).sort()).toEqual(Object.keys(expectations).sort());
  });

  describe.each(endpoints)("$name", (named) => {
    it.each(callers)("to %s is as the table says", async (caller) => {
      const attempt = (await attempts[named.name]?.(caller)) ?? {};
      const answer = await ask(
        named,
        { ...world.a, ...attempt.params },
        attempt.body,
        await credentials(caller),
        attempt.query,
      );
      if (answer.status < 300) await restore[named.name]?.();
      expect(outcomeOf(answer)).toBe(expectations[named.name]?.[caller]);
      // Outsiders learn nothing; all others learn who may.
      if (answer.status === 403 && caller !== "outsider" && caller !== "foreignAgent")
        expect(answer.body.error).not.toBe(NotAllowed.sentence);
    });
  });
});

const withSubject = endpoints.filter(({ endpoint }) => endpoint.access.subject !== null);

/** Headers that may differ between equal answers. */
const shown = ({ status, headers, body }: RawAnswer) => ({
  status,
  body: JSON.stringify(body),
  headers: [...headers].filter(([name]) => name !== "date"),
});

describe("Another company's data", () => {
  it.each(
    withSubject.flatMap((named) =>
      (["outsider", "foreignAgent"] as const).map((caller) => ({ named, caller })),
    ),
  )("is to $caller as if it were not there: $named.name", async ({ named, caller }) => {
    const { body } = (await attempts[named.name]?.(caller)) ?? {};
    const raw = await credentials(caller);
    const there = await ask(named, world.a, body, raw);
    const nowhere = { ...world.a, [paramNames(named.endpoint.path)[0]!]: randomUUID() };
    expect(shown(there)).toEqual(shown(await ask(named, nowhere, body, raw)));
  });

  it.each(["revisionId", "keyId"] as const)("is not combined with an agent of ours: %s", async (param) => {
    for (const named of endpoints.filter(({ endpoint }) => paramNames(endpoint.path).includes(param))) {
      const foreign = await ask(named, { ...world.a, [param]: world.b[param] }, undefined, {});
      const missing = await ask(named, { ...world.a, [param]: randomUUID() }, undefined, {});
      expect(foreign.status).toBe(404);
      expect(shown(foreign)).toEqual(shown(missing));
    }
  });

  it("is not found by its urlKey or identifier either", async () => {
    const issue = (await api.get(`/api/issues/${world.a.issueId}`)).body;
    const agent = (await api.get(`/api/agents/${world.a.agentId}`)).body;
    for (const caller of ["outsider", "foreignAgent"] as const) {
      const raw = await credentials(caller);
      for (const [path, missing] of [
        [`/api/issues/${issue.identifier}`, `/api/issues/${issue.identifier}999`],
        [`/api/agents/${agent.urlKey}?companyId=${world.a.companyId}`, "/api/agents/nobody-of-that-name"],
      ] as const) {
        const there = await api.get(path, raw);
        expect(there.status).toBe(404);
        expect(shown(there)).toEqual(shown(await api.get(missing, raw)));
      }
    }
  });

  it("appears in no list", async () => {
    const outsider = await credentials("outsider");
    const companies = (await api.get("/api/companies", outsider)).body;
    expect(companies.map(({ id }: { id: string }) => id)).toEqual([world.b.companyId]);
    const { agentId, issueId } = world.a;
    const runs = `/api/companies/${world.b.companyId}/heartbeat-runs?agentId=${agentId}`;
    expect((await api.get(runs, outsider)).body).toEqual([]);
    const activity = `/api/companies/${world.b.companyId}/activity?entityId=${issueId}`;
    expect((await api.get(activity, outsider)).body).toEqual([]);
    const issues = `/api/companies/${world.b.companyId}/issues?assigneeAgentId=${agentId}`;
    expect((await api.get(issues, outsider)).body).toEqual([]);
  });
});

describe("A malformed id", () => {
  const cases = endpoints.flatMap((named) =>
    paramNames(named.endpoint.path)
      // A key that people choose and a PUT creates.
      .filter((param) => param !== "key")
      .map((param) => ({ named, param })),
  );
  const malformedIds = ["not-an-id", "0", "%00", "%F0%9F%98%80", "a".repeat(3000), "ABC-0", "..%2f"];

  it.each(cases.map((each, n) => ({ ...each, ids: sampled(malformedIds, 3, n) })))(
    "is 404 to an admin, like a missing one: $named.name $param",
    async ({ named, param, ids }) => {
      const attempt = (await attempts[named.name]?.("admin")) ?? {};
      for (const malformed of ids) {
        const params = { ...world.a, ...attempt.params, [param]: malformed };
        const answer = await ask(named, params, attempt.body, {});
        expect([malformed, answer.status]).toEqual([malformed, 404]);
      }
    },
  );

  it("of a company is 403 to callers without any company", async () => {
    for (const caller of ["outsider", "viewer", "foreignAgent", "own"] as const) {
      const raw = await credentials(caller);
      const malformed = await api.get("/api/companies/not-an-id", raw);
      expect(shown(malformed)).toEqual(shown(await api.get(`/api/companies/${randomUUID()}`, raw)));
      expect(outcomeOf(malformed)).toBe("403 forbidden");
    }
  });
});

/** For every id in a body: an otherwise valid request. `b` provides the other company's id. */
const references: Readonly<
  Record<
    string,
    Readonly<
      Record<
        string,
        { readonly foreign: PathParam; readonly list?: true; readonly as?: (id: string) => unknown }
      >
    >
  >
> = {
  "agents.create": { reportsTo: { foreign: "agentId" } },
  "agents.update": { reportsTo: { foreign: "agentId" } },
  "agents.invoke": { issueId: { foreign: "issueId" } },
  "issues.create": {
    assigneeAgentId: { foreign: "agentId" },
    assigneeUserId: { foreign: "userId" },
    parentId: { foreign: "issueId" },
    projectId: { foreign: "projectId" },
    goalId: { foreign: "goalId" },
    blockedByIssueIds: { foreign: "issueId", list: true },
    labelIds: { foreign: "labelId", list: true },
  },
  "issues.update": {
    assigneeAgentId: { foreign: "agentId" },
    assigneeUserId: { foreign: "userId" },
    parentId: { foreign: "issueId" },
    projectId: { foreign: "projectId" },
    goalId: { foreign: "goalId" },
    blockedByIssueIds: { foreign: "issueId", list: true },
    labelIds: { foreign: "labelId", list: true },
  },
  "companies.update": { logoAssetId: { foreign: "assetId" } },
  "secrets.create": { providerConfigId: { foreign: "vaultId" } },
  "secrets.rotate": { providerConfigId: { foreign: "vaultId" } },
  "secrets.previewImport": { providerConfigId: { foreign: "vaultId" } },
  "secrets.import": { providerConfigId: { foreign: "vaultId" } },
  "adapters.testEnvironment": { agentId: { foreign: "agentId" } },
  "issues.checkout": { agentId: { foreign: "agentId" } },
  "routines.create": {
    assigneeAgentId: { foreign: "agentId" },
    projectId: { foreign: "projectId" },
    goalId: { foreign: "goalId" },
    parentIssueId: { foreign: "issueId" },
  },
  "routines.update": {
    assigneeAgentId: { foreign: "agentId" },
    projectId: { foreign: "projectId" },
    goalId: { foreign: "goalId" },
    parentIssueId: { foreign: "issueId" },
    baseRevisionId: { foreign: "revisionId" },
  },
  "routines.run": { triggerId: { foreign: "triggerId" } },
  "approvals.create": {
    requestedByAgentId: { foreign: "agentId" },
    issueIds: { foreign: "issueId", list: true },
  },
  "approvals.hire": { reportsTo: { foreign: "agentId" }, issueIds: { foreign: "issueId", list: true } },
  "approvals.link": { approvalId: { foreign: "approvalId" } },
  "grants.create": { agentId: { foreign: "agentId" } },
  "costs.report": {
    agentId: { foreign: "agentId" },
    issueId: { foreign: "issueId" },
    projectId: { foreign: "projectId" },
    runId: { foreign: "runId" },
  },
  "projects.create": { leadAgentId: { foreign: "agentId" } },
  "projects.update": { leadAgentId: { foreign: "agentId" } },
  "mcpServers.create": {
    agentIds: { foreign: "agentId", list: true },
  },
  "mcpServers.update": {
    agentIds: { foreign: "agentId", list: true },
  },
  "issues.setGates": {
    gates: { foreign: "agentId", as: (id) => [{ name: "Read", kind: "review", reviewerAgentId: id }] },
  },
  "projects.setGates": {
    gates: { foreign: "agentId", as: (id) => [{ name: "Read", kind: "review", reviewerAgentId: id }] },
  },
  "issues.comment": { repositoryId: { foreign: "repositoryId" } },
  "issues.commentOnLines": {
    comments: { foreign: "repositoryId", as: (repositoryId) => [{ body: "c", repositoryId }] },
  },
  "issues.review": {
    comments: { foreign: "repositoryId", as: (repositoryId) => [{ body: "c", repositoryId }] },
  },
  "issues.merge": { repositoryId: { foreign: "repositoryId" } },
  "issues.openPullRequest": { repositoryId: { foreign: "repositoryId" } },
  "repositories.create": {
    credentialSecretId: { foreign: "secretId" },
    webhookSecretId: { foreign: "secretId" },
  },
  "repositories.update": {
    credentialSecretId: { foreign: "secretId" },
    webhookSecretId: { foreign: "secretId" },
  },
  "goals.create": { parentId: { foreign: "goalId" }, ownerAgentId: { foreign: "agentId" } },
  "goals.update": { parentId: { foreign: "goalId" }, ownerAgentId: { foreign: "agentId" } },
};

/** References for which decisions 1.2 and 1.3 rule otherwise. */
const ruledOtherwise: Readonly<Record<string, string>> = {
  // One that is about no file.
  "issues.comment repositoryId": "400 validation_error",
  "issues.commentOnLines comments": "400 validation_error",
  "issues.review comments": "400 validation_error",
  "issues.merge repositoryId": "409 nothing_to_merge",
  "issues.openPullRequest repositoryId": "409 nothing_to_merge",
  "routines.run triggerId": "403 trigger_not_of_routine",
  "routines.update baseRevisionId": "409 stale_revision",
};

/** Ids without a company, such as board users, and those with rules of their own. */
const ofNoCompany = new Set([
  "tokens.create userId",
  // The work of a run of another company is not kept on the issue, like that of none.
  "workspaces.restore runId",
  // A host of the instance.
  "agents.releaseWorkspace to",
  // Admins are in each company; test/api/notices.test.ts asks as a member.
  "session.saveNotices companies",
  // The id that the reporter chooses for its event.
  "costs.report eventId",
  // Secrets in a configuration have separate tests.
  "approvals.hire adapterConfig",
  "agents.create adapterConfig",
  "agents.update adapterConfig",
  "mcpServers.create headers",
  "mcpServers.create env",
  "mcpServers.update headers",
  "mcpServers.update env",
  // The target of an interaction is checked by its kind, in separate tests.
  "interactions.create payload",
  // The outcome of each issue is in the answer: `overview.test.ts`.
  "issues.updateMany issueIds",
  "issues.updateMany assigneeAgentId",
  "issues.updateMany assigneeUserId",
  "issues.updateMany parentId",
  "issues.updateMany projectId",
  "issues.updateMany goalId",
  "issues.updateMany addLabelIds",
  "issues.updateMany removeLabelIds",
  // A revision that is not the current one is stale in any company.
  "documents.put baseRevisionId",
  // A multipart form, which has a separate test.
  "attachments.add issueCommentId",
]);

const idFields = endpoints.flatMap((named) =>
  Object.entries(named.endpoint.body?.shape ?? {})
    .filter(
      ([field, schema]) =>
        /Ids?$/.test(field) ||
        JSON.stringify(z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" })).includes(
          '"uuid"',
        ),
    )
    .map(([field]) => ({ named, field, title: `${named.name} ${field}` }))
    .filter(({ title }) => !ofNoCompany.has(title)),
);

describe("An id in a body", () => {
  it("has an expected row, and every row is an id in a body", () => {
    const rows = Object.entries(references).flatMap(([name, fields]) =>
      Object.keys(fields).map((field) => `${name} ${field}`),
    );
    expect(idFields.map(({ title }) => title).sort()).toEqual(rows.sort());
  });

  it.each(idFields)(
    "of another company is refused like a missing one: $title",
    async ({ named, field, title }) => {
      const { foreign, list, as = (id) => (list ? [id] : id) } = references[named.name]![field]!;
      const refused = async (id: string) => {
        const { body } = (await attempts[named.name]?.("admin")) ?? {};
        const params = { ...world.a, issueId: (await api.issue(world.a.companyId)).id };
        const answer = await ask(named, params, { ...(body as object), [field]: as(id) }, {});
        expect(outcomeOf(answer)).toBe(ruledOtherwise[title] ?? "422 reference_not_found");
        return shown(answer);
      };
      expect(await refused(world.b[foreign])).toEqual(await refused(randomUUID()));
    },
  );

  it("of a missing user is refused the same way", async () => {
    const answer = await api.post("/api/board-tokens", { name: "t", userId: randomUUID() });
    expect(outcomeOf(answer)).toBe("422 reference_not_found");
  });
});
