import { createHmac, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any;

let api: ApiService;
let companyId: string;
let projectId: string;
let own: AgentAtWork;
let peer: AgentAtWork;

beforeAll(async () => {
  api = await startApi();
  ({ id: companyId } = await api.company());
  ({ id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "P" }));
  own = await api.atWork((await api.agent(companyId)).id);
  peer = await api.atWork((await api.agent(companyId)).id);
});
afterAll(() => api?.stop());

const routine = (fields: object = {}): Promise<Json> =>
  api.make(`/api/companies/${companyId}/routines`, {
    title: "Sweep",
    assigneeAgentId: own.agentId,
    projectId,
    ...fields,
  });
const trigger = (routineId: string, fields: object): Promise<Json> =>
  api.make(`/api/routines/${routineId}/triggers`, fields);
const get = async (id: string): Promise<Json> => (await api.get(`/api/routines/${id}`)).body;

describe("A routine", () => {
  it("is created with the defaults of the specification", async () => {
    expect(await routine()).toMatchObject({
      companyId,
      title: "Sweep",
      description: null,
      assigneeAgentId: own.agentId,
      projectId,
      goalId: null,
      parentIssueId: null,
      priority: "medium",
      status: "active",
      concurrencyPolicy: "coalesce_if_active",
      catchUpPolicy: "skip_missed",
      latestRevisionNumber: 1,
      triggers: [],
      activeIssue: null,
      slotHeldSince: null,
    });
  });

  it.each(["title", "assigneeAgentId", "projectId"])("needs %s", async (field) => {
    const body = { title: "R", assigneeAgentId: own.agentId, projectId, [field]: undefined };
    const { status, body: answer } = await api.post(`/api/companies/${companyId}/routines`, body);
    expect([status, answer.code, answer.details[0].path]).toEqual([400, "validation_error", [field]]);
  });

  it("accepts exactly the values of the specification", async () => {
    const create = async (fields: object) =>
      (
        await api.post(`/api/companies/${companyId}/routines`, {
          title: "R",
          assigneeAgentId: own.agentId,
          projectId,
          ...fields,
        })
      ).status;
    for (const catchUpPolicy of ["skip_missed", "enqueue_missed_with_cap"])
      expect(await create({ catchUpPolicy })).toBe(201);
    expect(await create({ catchUpPolicy: "enqueue_missed_with_capped" })).toBe(400);
    for (const concurrencyPolicy of ["coalesce_if_active", "skip_if_active", "always_enqueue"])
      expect(await create({ concurrencyPolicy })).toBe(201);
    expect(await create({ concurrencyPolicy: "queue" })).toBe(400);
    expect(await create({ priority: "urgent" })).toBe(400);
    expect(await create({ status: "draft" })).toBe(400);
  });

  it("is listed with its triggers, last changed first", async () => {
    const { id } = await api.company();
    const { id: agentId } = await api.agent(id);
    const { id: project } = await api.make(`/api/companies/${id}/projects`, { name: "P" });
    const make = (title: string) =>
      api.make(`/api/companies/${id}/routines`, { title, assigneeAgentId: agentId, projectId: project });
    const [a, b] = [await make("A"), await make("B")];
    await trigger(a.id, { kind: "api" });
    const { body } = await api.get(`/api/companies/${id}/routines`);
    expect(body.map(({ title, triggers }: Json) => [title, triggers.length])).toEqual([
      ["A", 1],
      ["B", 0],
    ]);
    expect(b.id).toBe(body[1].id);
  });

  it("is created, changed and fired by an agent only for itself, and never assigned to another", async () => {
    const body = { title: "R", assigneeAgentId: own.agentId, projectId };
    const path = `/api/companies/${companyId}/routines`;
    expect((await api.post(path, body, peer.as)).status).toBe(403);
    const mine = await api.make(path, body, own.as);
    expect(mine).toMatchObject({ createdByAgentId: own.agentId });
    expect((await api.get(`/api/routines/${mine.id}`, peer.as)).status).toBe(200);
    expect((await api.patch(`/api/routines/${mine.id}`, { status: "paused" }, peer.as)).status).toBe(403);
    expect((await api.patch(`/api/routines/${mine.id}`, { status: "paused" }, own.as)).status).toBe(200);
    const reassigned = { assigneeAgentId: peer.agentId };
    expect((await api.patch(`/api/routines/${mine.id}`, reassigned, own.as)).status).toBe(403);
    expect((await api.patch(`/api/routines/${mine.id}`, reassigned)).status).toBe(200);
    expect((await api.patch(`/api/routines/${mine.id}`, { status: "active" }, own.as)).status).toBe(403);
  });
});

describe("Revisions", () => {
  it("are stored for every change, newest first, and not without a change", async () => {
    const { id } = await routine();
    await api.patch(`/api/routines/${id}`, { title: "Mop" });
    await api.patch(`/api/routines/${id}`, { title: "Mop" });
    const hook = await trigger(id, { kind: "webhook" });
    await api.patch(`/api/routine-triggers/${hook.id}`, { enabled: false });
    await api.make(`/api/routine-triggers/${hook.id}/rotate-secret`);
    await api.delete(`/api/routine-triggers/${hook.id}`);
    const { body } = await api.get(`/api/routines/${id}/revisions`);
    expect(body.map(({ revisionNumber, changeSummary }: Json) => [revisionNumber, changeSummary])).toEqual([
      [6, "Deleted a webhook trigger"],
      [5, "Rotated a webhook trigger's secret"],
      [4, "Changed enabled of a webhook trigger"],
      [3, "Added a webhook trigger"],
      [2, "Changed title"],
      [1, "Created"],
    ]);
    expect(body.map(({ snapshot }: Json) => snapshot.routine.title)).toEqual([
      ...Array(5).fill("Mop"),
      "Sweep",
    ]);
    const text = JSON.stringify(body);
    expect(
      text.includes(hook.secret) || /secret/i.test(Object.keys(body[3].snapshot.triggers[0]).join()),
    ).toBe(false);
  });

  it("refuse a change to an outdated one, naming the current one", async () => {
    const { id, latestRevisionId } = await routine();
    const patch = (fields: object) => api.patch(`/api/routines/${id}`, fields);
    const { body: second } = await patch({ title: "B", baseRevisionId: latestRevisionId });
    const stale = await patch({ title: "C", baseRevisionId: latestRevisionId });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({
      code: "stale_revision",
      currentRevisionId: second.latestRevisionId,
      details: { currentRevisionId: second.latestRevisionId },
    });
    expect((await patch({ title: "C" })).status).toBe(200);
  });

  it("let one of many changes to the same one through", async () => {
    const { id, latestRevisionId: baseRevisionId } = await routine();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        api.patch(`/api/routines/${id}`, { title: `T${n}`, baseRevisionId }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)]);
  });

  it("are restored with their triggers, and deleted webhooks with new secrets under their old addresses", async () => {
    const { id } = await routine();
    const [hook, remaining] = [
      await trigger(id, { kind: "webhook", replayWindowSec: 60 }),
      await trigger(id, { kind: "webhook" }),
    ];
    const clock = await trigger(id, { kind: "schedule", cronExpression: "@hourly" });
    const { latestRevisionId: chosen, latestRevisionNumber } = await get(id);
    await api.delete(`/api/routine-triggers/${hook.id}`);
    await api.delete(`/api/routine-triggers/${clock.id}`);
    await api.patch(`/api/routines/${id}`, { title: "Changed", priority: "low" });
    const later = await trigger(id, { kind: "api" });
    await api.patch(`/api/routine-triggers/${remaining.id}`, { label: "Other", enabled: false });

    const once = { headers: { "idempotency-key": randomUUID() } };
    const restore = () => api.post(`/api/routines/${id}/revisions/${chosen}/restore`, undefined, once);
    const answer = await restore();
    expect(answer.status).toBe(200);
    // It showed a secret, which is not kept.
    expect((await restore()).body.code).toBe("idempotency_result_not_repeatable");
    const { routine: restored, revision, secretMaterials, ...from } = answer.body;
    const named = ({ id, kind, label }: Json) => ({ triggerId: id, kind, label });
    expect(from).toEqual({
      restoredFromRevisionId: chosen,
      restoredFromRevisionNumber: latestRevisionNumber,
      removedTriggers: [named(later)],
      changedTriggers: [{ ...named(remaining), changed: ["label", "enabled"] }],
      remadeTriggers: [named(hook), named(clock)],
    });
    expect(revision).toMatchObject({ restoredFromRevisionId: chosen, id: restored.latestRevisionId });
    expect(restored).toMatchObject({ title: "Sweep", priority: "medium" });
    expect(restored.triggers.map((each: Json) => each.id).sort()).toEqual(
      [hook.id, remaining.id, clock.id].sort(),
    );
    expect(restored.triggers.some((each: Json) => each.id === later.id)).toBe(false);
    expect(restored.triggers.find((each: Json) => each.id === clock.id).nextFireAt).not.toBeNull();
    expect(secretMaterials).toMatchObject([{ triggerId: hook.id, webhookUrl: hook.webhookUrl }]);

    const knock = async (url: string, secret: string) =>
      (await fetch(url, { method: "POST", headers: { authorization: `Bearer ${secret}` } })).status;
    expect(await knock(hook.webhookUrl, hook.secret)).toBe(401);
    expect(await knock(hook.webhookUrl, secretMaterials[0].secret)).toBe(202);
    expect(await knock(remaining.webhookUrl, remaining.secret)).toBe(202);
    const again = await api.post(`/api/routines/${id}/revisions/${restored.latestRevisionId}/restore`);
    expect([again.status, again.body.code]).toEqual([409, "revision_is_latest"]);
    expect((await api.post(`/api/routines/${id}/revisions/${randomUUID()}/restore`)).status).toBe(404);
  });

  it("are restored without the status they had", async () => {
    const { id, latestRevisionId } = await routine({ status: "active" });
    await api.patch(`/api/routines/${id}`, { status: "paused", title: "Changed" });
    const { body } = await api.post(`/api/routines/${id}/revisions/${latestRevisionId}/restore`);
    expect(body.routine).toMatchObject({ title: "Sweep", status: "paused" });
  });

  it("are not restored for an archived routine", async () => {
    const { id, latestRevisionId } = await routine();
    await api.patch(`/api/routines/${id}`, { status: "archived" });
    const restored = await api.post(`/api/routines/${id}/revisions/${latestRevisionId}/restore`);
    expect([restored.status, restored.body.code]).toEqual([409, "routine_archived"]);
    for (const body of [{ status: "active" }, { title: "X" }])
      expect((await api.patch(`/api/routines/${id}`, body)).body.code).toBe("routine_archived");
  });
});

describe("Triggers", () => {
  it("are of three kinds, several per routine", async () => {
    const { id } = await routine();
    const clock = await trigger(id, {
      kind: "schedule",
      cronExpression: "0 9 * * mon-fri",
      timezone: "Europe/London",
    });
    expect(clock).toMatchObject({
      enabled: true,
      publicId: null,
      secret: null,
      webhookUrl: null,
      lastFiredAt: null,
    });
    expect(clock.nextFireAt).toMatch(/T0[89]:00:00.000Z$/);
    const hook = await trigger(id, { kind: "webhook" });
    expect(hook).toMatchObject({ signingMode: "bearer", replayWindowSec: 300, cronExpression: null });
    expect(hook.webhookUrl).toBe(`${api.url}/api/routine-triggers/public/${hook.publicId}/fire`);
    expect(await trigger(id, { kind: "api" })).toMatchObject({ publicId: null, signingMode: null });
    const shown = await get(id);
    expect(shown.triggers).toHaveLength(3);
    expect(JSON.stringify(shown)).not.toContain(hook.secret);
  });

  it.each([
    [{ kind: "webhook", replayWindowSec: 29 }, 400, "validation_error"],
    [{ kind: "webhook", replayWindowSec: 30 }, 201, undefined],
    [{ kind: "webhook", replayWindowSec: 86_400 }, 201, undefined],
    [{ kind: "webhook", replayWindowSec: 86_401 }, 400, "validation_error"],
    [{ kind: "schedule" }, 422, "trigger_fields_invalid"],
    [{ kind: "schedule", cronExpression: "nonsense" }, 422, "cron_invalid"],
    [{ kind: "schedule", cronExpression: "* * * * *", timezone: "Mars/Phobos" }, 422, "timezone_invalid"],
    [{ kind: "api", cronExpression: "* * * * *" }, 422, "trigger_fields_invalid"],
    [{ kind: "schedule", cronExpression: "@daily", signingMode: "bearer" }, 422, "trigger_fields_invalid"],
    [{ kind: "email" }, 400, "validation_error"],
  ])("%j: %i %s", async (fields, status, code) => {
    const { id } = await routine();
    const answer = await api.post(`/api/routines/${id}/triggers`, fields);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("show their next ticks in advance", async () => {
    const { id } = await routine({ status: "paused" });
    await trigger(id, { kind: "schedule", cronExpression: "0 0 29 2 *" });
    const { body } = await api.get(`/api/routines/${id}/next-fires?count=2`);
    expect(body.map(({ scheduledFor }: Json) => scheduledFor)).toEqual([
      "2028-02-29T00:00:00.000Z",
      "2032-02-29T00:00:00.000Z",
    ]);
    expect((await api.get(`/api/routines/${id}/next-fires?count=101`)).status).toBe(400);
    expect((await get(id)).triggers[0].nextFireAt).toBeNull();
  });

  it("are previewed before a trigger exists, and refused with the name of the field", async () => {
    const preview = (query: string) => api.get(`/api/companies/${companyId}/next-fires/preview?${query}`);
    const { body } = await preview("cronExpression=30+9+29+2+*&timezone=Asia/Tokyo&count=2");
    expect(body).toEqual(["2028-02-29T00:30:00.000Z", "2032-02-29T00:30:00.000Z"]);
    const refused = async (query: string) => {
      const { status, body } = await preview(query);
      return [status, body.code, body.details.path ?? body.details[0].path];
    };
    expect(await refused("cronExpression=nonsense")).toEqual([422, "cron_invalid", ["cronExpression"]]);
    const onMars = "cronExpression=@daily&timezone=Mars/Phobos";
    expect(await refused(onMars)).toEqual([422, "timezone_invalid", ["timezone"]]);
    expect(await refused("cronExpression=@daily&count=0")).toEqual([400, "validation_error", ["count"]]);
  });

  it("whose tick is late make health degraded, which says for how long, until they are deleted", async () => {
    const { id } = await routine();
    const { id: triggerId } = await trigger(id, {
      kind: "schedule",
      cronExpression: "0 9 * * *",
      timezone: "Europe/London",
    });
    const health = async () => (await api.get("/api/health")).body;
    expect(await health()).toMatchObject({ status: "ok", oldestDueTickSec: null });
    await api.sql`update routine_triggers set next_fire_at = now() - interval '5 minutes' where id = ${triggerId}`;
    const late = await health();
    expect(late.status).toBe("degraded");
    expect(late.oldestDueTickSec).toBeGreaterThanOrEqual(299);
    expect((await api.get("/api/health", { token: null })).body).toEqual({ status: "degraded" });
    await api.delete(`/api/routine-triggers/${triggerId}`);
    expect(await health()).toMatchObject({ status: "ok", oldestDueTickSec: null });
  });

  it("are shown for the whole company: those of active routines, earliest first, in the requested number", async () => {
    const { id } = await api.company();
    const { id: agentId } = await api.agent(id);
    const { id: project } = await api.make(`/api/companies/${id}/projects`, { name: "P" });
    const make = async (title: string, cronExpression: string, timezone: string, status = "active") => {
      const body = { title, assigneeAgentId: agentId, projectId: project, status };
      const { id: routineId } = await api.make(`/api/companies/${id}/routines`, body);
      return { routineId, ...(await trigger(routineId, { kind: "schedule", cronExpression, timezone })) };
    };
    const leap = await make("Leap", "0 0 29 2 *", "UTC");
    const tokyo = await make("Tokyo", "0 8 29 2 *", "Asia/Tokyo");
    await make("Asleep", "* * * * *", "UTC", "paused");
    const { body } = await api.get(`/api/companies/${id}/next-fires?count=3`);
    const of = ({ routineId, id: triggerId }: Json, routineTitle: string, timezone: string) => ({
      routineId,
      routineTitle,
      triggerId,
      triggerLabel: null,
      timezone,
    });
    expect(body).toEqual([
      { ...of(tokyo, "Tokyo", "Asia/Tokyo"), scheduledFor: "2028-02-28T23:00:00.000Z" },
      { ...of(leap, "Leap", "UTC"), scheduledFor: "2028-02-29T00:00:00.000Z" },
      { ...of(tokyo, "Tokyo", "Asia/Tokyo"), scheduledFor: "2032-02-28T23:00:00.000Z" },
    ]);
  });

  it("are in the list and the record of the routine, with the last result and the failures in a row", async () => {
    const { id } = await routine();
    expect(await get(id)).toMatchObject({ lastResult: null, failuresInARow: 0, nextFireAt: null });
    await trigger(id, { kind: "schedule", cronExpression: "0 0 29 2 *" });
    const { linkedIssueId } = (await api.post(`/api/routines/${id}/run`, {})).body;
    await api.patch(`/api/issues/${linkedIssueId}`, { status: "cancelled" });
    const health = {
      lastResult: { status: "failed", failureReason: null, linkedIssueId },
      failuresInARow: 0,
      nextFireAt: "2028-02-29T00:00:00.000Z",
    };
    expect(await get(id)).toMatchObject(health);
    const { body: all } = await api.get(`/api/companies/${companyId}/routines`);
    expect(all.find((each: Json) => each.id === id)).toMatchObject(health);
  });

  it("stop when disabled, continue when enabled, and disappear when deleted", async () => {
    const { id } = await routine();
    const { id: triggerId } = await trigger(id, { kind: "schedule", cronExpression: "@hourly" });
    const patch = async (fields: object) =>
      (await api.patch(`/api/routine-triggers/${triggerId}`, fields)).body;
    expect((await patch({ enabled: false })).nextFireAt).toBeNull();
    expect((await patch({ enabled: true, cronExpression: "0 0 1 1 *" })).nextFireAt).toMatch(/-01-01T00:00/);
    expect((await api.post(`/api/routine-triggers/${triggerId}/rotate-secret`)).body.code).toBe(
      "not_a_webhook",
    );
    expect((await api.delete(`/api/routine-triggers/${triggerId}`)).status).toBe(204);
    expect((await api.delete(`/api/routine-triggers/${triggerId}`)).status).toBe(404);
    expect((await api.patch(`/api/routine-triggers/${triggerId}`, {})).status).toBe(404);
  });

  it("show a secret in one answer only, which is not repeated", async () => {
    const { id } = await routine();
    const create = () =>
      api.post(
        `/api/routines/${id}/triggers`,
        { kind: "webhook" },
        { headers: { "idempotency-key": "once" } },
      );
    const first = await create();
    expect([first.status, typeof first.body.secret]).toEqual([201, "string"]);
    const second = await create();
    expect([second.status, second.body.code]).toEqual([409, "idempotency_result_not_repeatable"]);
    expect((await get(id)).triggers).toHaveLength(1);
  });
});

describe("The public path", () => {
  it("accepts any bytes, any query and any headers, without our credentials", async () => {
    const { id } = await routine({ concurrencyPolicy: "always_enqueue" });
    const hook = await trigger(id, { kind: "webhook", signingMode: "hmac_sha256" });
    const bodies = [
      Buffer.from([0, 255, 254, 1]),
      Buffer.from("a=1&b"),
      Buffer.from('{"x":'),
      Buffer.alloc(0),
    ];
    for (const [n, body] of bodies.entries()) {
      const timestamp = String(Date.now() + n);
      const signature = createHmac("sha256", hook.secret).update(`${timestamp}.`).update(body).digest("hex");
      const answer = await fetch(`${hook.webhookUrl}?a=1&a=2&%zz`, {
        method: "POST",
        headers: {
          "x-service-signature": signature,
          "x-service-timestamp": timestamp,
          "x-anything": "at all",
          authorization: "Basic bm90OnVz",
          cookie: "boardroom_session=stale",
          origin: "https://elsewhere.example",
          "content-type": "text/whatever",
        },
        body,
      });
      expect([n, answer.status]).toEqual([n, 202]);
    }
    const { body: runs } = await api.get(`/api/routines/${id}/runs`);
    expect(runs.map(({ triggerPayload }: Json) => triggerPayload).reverse()).toEqual([
      { bodyBase64: Buffer.from([0, 255, 254, 1]).toString("base64") },
      { body: "a=1&b" },
      { body: '{"x":' },
      null,
    ]);
  });

  it("answers 404 to an unknown publicId, 401 to an invalid proof, 413 to more than a mebibyte", async () => {
    const { id } = await routine();
    const hook = await trigger(id, { kind: "webhook" });
    const knock = async (url: string, body: Buffer | null = null, headers = {}) => {
      const answer = await fetch(url, { method: "POST", body, headers });
      return [answer.status, ((await answer.json()) as Json).code];
    };
    expect(await knock(`${api.url}/api/routine-triggers/public/${"0".repeat(24)}/fire`)).toEqual([
      404,
      "trigger_not_found",
    ]);
    expect(await knock(`${api.url}/api/routine-triggers/public/%00/fire`)).toEqual([
      404,
      "trigger_not_found",
    ]);
    expect(await knock(hook.webhookUrl)).toEqual([401, "unauthenticated"]);
    const tooMuch = Buffer.alloc(1024 * 1024 + 1);
    expect(await knock(hook.webhookUrl, tooMuch)).toEqual([401, "unauthenticated"]);
    const headers = { authorization: `Bearer ${hook.secret}` };
    expect(await knock(hook.webhookUrl, tooMuch, headers)).toEqual([413, "payload_too_large"]);
  });
});

describe("A webhook trigger", () => {
  it("fires at most 60 times within a minute, then answers with Retry-After", async () => {
    const { id } = await routine();
    const [busy, quiet] = [await trigger(id, { kind: "webhook" }), await trigger(id, { kind: "webhook" })];
    const knock = ({ webhookUrl, secret }: Json) =>
      fetch(webhookUrl, { method: "POST", headers: { authorization: `Bearer ${secret}` } });
    for (let n = 0; n < 60; n++) expect((await knock(busy)).status).toBe(202);
    const refused = await knock(busy);
    expect([refused.status, ((await refused.json()) as Json).code]).toEqual([429, "too_many_firings"]);
    const afterSec = Number(refused.headers.get("retry-after"));
    expect(afterSec).toBeGreaterThan(0);
    expect(afterSec).toBeLessThanOrEqual(60);
    expect((await knock(quiet)).status).toBe(202);
    await api.sql`update routine_runs set triggered_at = triggered_at - interval '1 minute' where trigger_id = ${busy.id}`;
    expect((await knock(busy)).status).toBe(202);
  });
});

describe("GitHub's signature", () => {
  const knock = (url: string, body: string, signature: string) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-signature-256": signature },
      body,
    }).then(async (answer) => [answer.status, ((await answer.json()) as Json).code ?? "fired"]);

  it("is HMAC-SHA256 of the body alone; a signed body counts once", async () => {
    const { id } = await routine({ title: "{{payload.action}}" });
    const { webhookUrl, secret, signingMode } = await trigger(id, {
      kind: "webhook",
      signingMode: "github_sha256",
    });
    expect(signingMode).toBe("github_sha256");
    const body = JSON.stringify({ action: "opened" });
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    expect(await knock(webhookUrl, `${body} `, signature)).toEqual([401, "unauthenticated"]);
    expect(await knock(webhookUrl, body, signature.slice(7))).toEqual([401, "unauthenticated"]);
    expect(await knock(webhookUrl, body, signature)).toEqual([202, "fired"]);
    expect(await knock(webhookUrl, body, signature)).toEqual([409, "webhook_replayed"]);
    const [run] = (await api.get(`/api/routines/${id}/runs`)).body;
    expect(run.linkedIssue.title).toBe("opened");
  });
});

describe("A template", () => {
  const fired = async (fields: object, payload?: object): Promise<Json> => {
    const { id } = await routine({ concurrencyPolicy: "always_enqueue", ...fields });
    const { linkedIssueId } = await api.make(
      `/api/routines/${id}/run`,
      payload === undefined ? {} : { payload },
    );
    return (await api.get(`/api/issues/${linkedIssueId}`)).body;
  };
  const today = () => new Date().toISOString().slice(0, 10);

  it("inserts values of the payload and the date into title and description", async () => {
    const payload = { pull: { number: 7, title: "Fix it" }, labels: ["a", "b"] };
    const day = today();
    const issue = await fired(
      {
        title: "Review #{{payload.pull.number}}: {{ payload.pull.title }} ({{date}})",
        description: "{{payload.labels}}, {{payload.labels.1}}, {{payload.nothing.there}}.",
      },
      payload,
    );
    expect([day, today()].map((date) => `Review #7: Fix it (${date})`)).toContain(issue.title);
    expect(issue.description.split("\n")[0]).toBe('["a","b"], b, .');
  });

  it("inserts values as text, once, on one line of a title, and up to the size limit", async () => {
    const payload = { a: "{{payload.b}}", b: "secret", lines: "one\ntwo\u0007", long: "x".repeat(600) };
    expect((await fired({ title: "{{payload.a}} {{payload.lines}}" }, payload)).title).toBe(
      "{{payload.b}} one two",
    );
    expect((await fired({ title: "{{payload.long}}!" }, payload)).title).toBe(`${"x".repeat(200)}…!`);
    const { description } = await fired({ description: "{{payload.long}}".repeat(2_000) }, payload);
    expect(description.length).toBeLessThan(70_000 + 2_000);
  });

  it("stays unchanged if a placeholder is unknown or the result is empty", async () => {
    expect((await fired({ title: "{{name}} {{payload}} {{payload.__proto__.x}}|" })).title).toBe(
      "{{name}} {{payload}} |",
    );
    expect((await fired({ title: "{{payload.missing}}" })).title).toBe("{{payload.missing}}");
  });
});

describe("Runs of a routine", () => {
  it("are 202, make an issue and its assignee's run, and follow their issue", async () => {
    const { id } = await routine({ description: "Look around." });
    const fired = await api.post(`/api/routines/${id}/run`, { payload: { why: "test" } });
    expect(fired.status).toBe(202);
    expect(fired.body).toMatchObject({
      source: "manual",
      triggerId: null,
      status: "issue_created",
      trigger: null,
    });
    const { linkedIssueId } = fired.body;
    const { body: issue } = await api.get(`/api/issues/${linkedIssueId}`);
    expect(issue).toMatchObject({ routineId: id, status: "todo", assigneeAgentId: own.agentId, projectId });
    expect(issue.description).toContain("Look around.");
    expect(issue.description).toContain('"why": "test"');
    const detail = await get(id);
    expect(detail).toMatchObject({
      activeIssue: { id: linkedIssueId },
      slotHeldSince: fired.body.triggeredAt,
    });
    const latest = async () => (await api.get(`/api/routines/${id}/runs`)).body[0];
    for (const [status, shown] of [
      ["blocked", "failed"],
      ["todo", "issue_created"],
      ["done", "completed"],
    ]) {
      await api.patch(`/api/issues/${linkedIssueId}`, { status });
      expect((await latest()).status).toBe(shown);
    }
    expect((await latest()).completedAt).not.toBeNull();
  });

  it("do not accumulate while their assignee is held", async () => {
    const { id: agentId } = await api.agent(companyId);
    const { id } = await routine({ assigneeAgentId: agentId });
    await api.post(`/api/agents/${agentId}/pause`);
    const fired = [];
    for (let n = 0; n < 4; n++) fired.push((await api.post(`/api/routines/${id}/run`)).body.status);
    expect(fired).toEqual(["issue_created", "coalesced", "coalesced", "coalesced"]);
    expect((await get(id)).slotHeldSince).not.toBeNull();
    await api.sql`update agents set held_manually_at = null where id = ${agentId}`;
    expect((await get(id)).slotHeldSince).toBeNull();
  });

  it("do not start in a company that has used up its budget", async () => {
    const broke = await api.company();
    const { id: project } = await api.make(`/api/companies/${broke.id}/projects`, { name: "P" });
    const agent = await api.agent(broke.id);
    const { id } = await api.make(`/api/companies/${broke.id}/routines`, {
      title: "Sweep",
      assigneeAgentId: agent.id,
      projectId: project,
    });
    await api.patch(`/api/companies/${broke.id}`, { budgetMonthlyCents: 100 });
    const cost = { agentId: agent.id, provider: "acme", model: "m", costCents: 100 };
    await api.make(`/api/companies/${broke.id}/cost-events`, cost);
    expect(await api.post(`/api/routines/${id}/run`)).toMatchObject({
      status: 409,
      body: { code: "company_not_active" },
    });
    expect((await api.get(`/api/routines/${id}/runs`)).body).toEqual([]);
  });

  it("are listed newest first, 50 by default, and paged", async () => {
    const { id } = await routine();
    for (let n = 0; n < 55; n++) await api.make(`/api/routines/${id}/run`);
    const first = await api.get(`/api/routines/${id}/runs`);
    expect(first.body).toHaveLength(50);
    const rest = await api.get(`/api/routines/${id}/runs?cursor=${first.headers.get("x-next-cursor")}`);
    expect(rest.body).toHaveLength(5);
    expect(rest.headers.get("x-next-cursor")).toBeNull();
    expect((await api.get(`/api/routines/${id}/runs?limit=201`)).status).toBe(400);
  });

  it("fail with a reason if the assignee is terminated, and make no issue", async () => {
    const { id: agentId } = await api.agent(companyId);
    const { id } = await routine({ assigneeAgentId: agentId });
    await api.make(`/api/agents/${agentId}/terminate`);
    const { body } = await api.post(`/api/routines/${id}/run`);
    expect(body).toMatchObject({ status: "failed", linkedIssueId: null });
    expect(body.failureReason).toBe("The agent is terminated, so it can't be assigned work.");
  });

  it("that fail three times in a row pause the routine, which is logged once", async () => {
    const { id: agentId } = await api.agent(companyId);
    const { id } = await routine({ assigneeAgentId: agentId });
    await trigger(id, { kind: "schedule", cronExpression: "@hourly" });
    await api.make(`/api/agents/${agentId}/terminate`);
    const statuses: string[] = [];
    for (let n = 0; n < 4; n++) {
      await api.make(`/api/routines/${id}/run`);
      statuses.push((await get(id)).status);
    }
    expect(statuses).toEqual(["active", "active", "paused", "paused"]);
    expect(await get(id)).toMatchObject({
      failuresInARow: 3,
      lastResult: {
        status: "failed",
        failureReason: "The agent is terminated, so it can't be assigned work.",
      },
      nextFireAt: null,
    });
    expect((await get(id)).triggers[0].nextFireAt).toBeNull();
    const [revision] = (await api.get(`/api/routines/${id}/revisions`)).body;
    expect(revision).toMatchObject({ changeSummary: "Paused after 3 failures in a row" });
    const { body } = await api.get(`/api/companies/${companyId}/activity`);
    const paused = body.filter(
      ({ action, entityId }: Json) => action === "routine.paused_after_failures" && entityId === id,
    );
    expect(paused.map(({ details }: Json) => details)).toEqual([
      { failures: 3, reason: "The agent is terminated, so it can't be assigned work." },
    ]);
  });

  it("without an assignee allow pausing and archiving the routine, but not activating it", async () => {
    const { id: agentId } = await api.agent(companyId);
    const { id } = await routine({ assigneeAgentId: agentId });
    await api.make(`/api/agents/${agentId}/terminate`);
    const patch = async (fields: object) => (await api.patch(`/api/routines/${id}`, fields)).status;
    expect(await patch({ status: "paused", title: "Nobody's" })).toBe(200);
    expect(await patch({ status: "active" })).toBe(422);
    expect(await patch({ status: "active", assigneeAgentId: own.agentId })).toBe(200);
    expect(await patch({ status: "archived" })).toBe(200);
  });

  it("are the same under an Idempotency-Key and under an idempotencyKey", async () => {
    const { id } = await routine({ concurrencyPolicy: "always_enqueue" });
    const fire = (body: object, headers = {}) => api.post(`/api/routines/${id}/run`, body, { headers });
    const ids = [
      (await fire({ idempotencyKey: "a" })).body.id,
      (await fire({ idempotencyKey: "a" })).body.id,
      (await fire({}, { "idempotency-key": "b" })).body.id,
      (await fire({}, { "idempotency-key": "b" })).body.id,
      (await fire({})).body.id,
    ];
    expect([ids[0] === ids[1], ids[2] === ids[3], new Set(ids).size]).toEqual([true, true, 3]);
  });

  it("are refused under the idempotencyKey of another payload, by hand and by webhook", async () => {
    const { id } = await routine({ concurrencyPolicy: "always_enqueue" });
    const fire = (payload: object | undefined, idempotencyKey: string) =>
      api.post(`/api/routines/${id}/run`, { payload, idempotencyKey });
    const first = await fire({ day: "monday", hour: 9 }, "a");
    expect((await fire({ hour: 9, day: "monday" }, "a")).body.id).toBe(first.body.id);
    for (const other of [{ day: "tuesday", hour: 9 }, {}, undefined]) {
      const answer = await fire(other, "a");
      expect([answer.status, answer.body.code]).toEqual([409, "idempotency_key_reused"]);
    }
    const hook = await trigger(id, { kind: "webhook" });
    const knock = async (body: string) => {
      const headers = { authorization: `Bearer ${hook.secret}`, "idempotency-key": "w" };
      const answer = await fetch(hook.webhookUrl, { method: "POST", headers, body });
      return [answer.status, ((await answer.json()) as Json).code];
    };
    expect(await knock('{"n":1}')).toEqual([202, undefined]);
    expect(await knock('{ "n": 1 }')).toEqual([202, undefined]);
    expect(await knock('{"n":2}')).toEqual([409, "idempotency_key_reused"]);
    expect((await api.get(`/api/routines/${id}/runs`)).body).toHaveLength(2);
  });
});
