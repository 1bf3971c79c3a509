import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { RawSocket } from "../support/raw-socket.ts";

let api: ApiService;
let companyId: string;

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

interface Sent {
  readonly path: string;
  readonly token: string;
  readonly body: object;
  /** Runs while the service waits for the rest of the body. */
  readonly meanwhile: () => Promise<unknown>;
}

/** Sends a POST whose body begins, and ends only after an action. */
const slowly = async ({ path, token, body, meanwhile }: Sent) => {
  const text = JSON.stringify(body);
  const socket = await RawSocket.open(Number(new URL(api.url).port));
  socket.request(
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${text.length}`,
    // The answer 100 shows that the caller passed the first check, and that the service waits for the body.
    "Expect: 100-continue",
  );
  expect(await socket.until(() => socket.text.includes("100 Continue"))).toBe(true);
  socket.send(text.slice(0, 3));
  await meanwhile();
  socket.send(text.slice(3));
  const answer = await socket.answer();
  return `${answer.status} ${JSON.parse(answer.body).code ?? ""}`.trim();
};

const issues = () => `/api/companies/${companyId}/issues`;

describe("Access is checked again after a slow body", () => {
  it("without a change: the request is accepted", async () => {
    const { token } = await api.user(companyId, "operator");
    const meanwhile = () => api.get("/api/health");
    expect(await slowly({ path: issues(), token, body: { title: "I" }, meanwhile })).toBe("201");
  });

  it("after the board token is revoked: the request is refused", async () => {
    const { id: userId } = await api.user(companyId, "operator");
    const { id, token } = await api.make("/api/board-tokens", { name: "t", userId });
    const meanwhile = () => api.delete(`/api/board-tokens/${id}`);
    const answer = await slowly({ path: issues(), token, body: { title: "revoked" }, meanwhile });
    expect(answer).toBe("401 unauthenticated");
  });

  it("after a member is removed or demoted: the remaining rights apply", async () => {
    const removed = await api.user(companyId, "operator");
    const member = ({ id }: { id: string }) => `/api/companies/${companyId}/members/${id}`;
    const gone = await slowly({
      path: issues(),
      token: removed.token,
      body: { title: "removed" },
      meanwhile: () => api.delete(member(removed)),
    });
    expect(gone).toBe("403 forbidden");

    // Viewers may call it; the remaining authority refuses them.
    const degraded = await api.user(companyId, "owner");
    const { id: approvalId } = await api.make(`/api/companies/${companyId}/approvals`, {
      type: "approve_ceo_strategy",
      payload: {},
    });
    const decided = await slowly({
      path: `/api/approvals/${approvalId}/approve`,
      token: degraded.token,
      body: { decisionNote: "yes" },
      meanwhile: () => api.put(member(degraded), { role: "viewer" }),
    });
    expect(decided).toBe("403 permission_missing");
  });

  it("after an agent's key is revoked or the agent is terminated: the request is refused", async () => {
    const { id: agentId } = await api.agent(companyId);
    const { id: issueId } = await api.issue(companyId);
    const path = `/api/issues/${issueId}/comments`;
    const revoked = await api.make(`/api/agents/${agentId}/keys`);
    const answer = await slowly({
      path,
      token: revoked.token,
      body: { body: "by a revoked key" },
      meanwhile: () => api.delete(`/api/agents/${agentId}/keys/${revoked.id}`),
    });
    expect(answer).toBe("401 unauthenticated");
    const { token } = await api.make(`/api/agents/${agentId}/keys`);
    const then = await slowly({
      path,
      token,
      body: { body: "by a terminated agent" },
      meanwhile: () => api.post(`/api/agents/${agentId}/terminate`),
    });
    expect(then).toBe("401 unauthenticated");
    expect((await api.get(path)).body).toEqual([]);
  });
});

describe("A webhook's body", () => {
  /** Expects an answer after the headers alone, or that the service waits for the body. */
  const beforeTheBody = async (due: number | "silent", publicId: string, ...headers: string[]) => {
    const socket = await RawSocket.open(Number(new URL(api.url).port));
    const path = `/api/routine-triggers/public/${publicId}/fire`;
    socket.request(`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Length: 1000000", ...headers);
    socket.send("{");
    expect(await socket.outcome(due === "silent" ? 500 : undefined)).toBe(due);
  };

  it("is read only from a caller that gives the trigger's proof", async () => {
    const { id: assigneeAgentId } = await api.agent(companyId);
    const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "P" });
    const routine = { title: "R", assigneeAgentId, projectId };
    const { id } = await api.make(`/api/companies/${companyId}/routines`, routine);
    const bearer = await api.make(`/api/routines/${id}/triggers`, { kind: "webhook" });
    const signed = await api.make(`/api/routines/${id}/triggers`, {
      kind: "webhook",
      signingMode: "hmac_sha256",
    });
    await beforeTheBody(404, "0".repeat(24));
    await beforeTheBody(401, bearer.publicId);
    await beforeTheBody(401, bearer.publicId, "Authorization: Bearer wrong");
    await beforeTheBody("silent", bearer.publicId, `Authorization: Bearer ${bearer.secret}`);
    await beforeTheBody(401, signed.publicId);
    const stamp = `X-Service-Timestamp: ${Math.floor(Date.now() / 1000)}`;
    const signature = `X-Service-Signature: ${"0".repeat(64)}`;
    await beforeTheBody(401, signed.publicId, "X-Service-Timestamp: 1", signature);
    await beforeTheBody("silent", signed.publicId, stamp, signature);
  });
});
