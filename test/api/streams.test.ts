import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";

let api: ApiService;
let admin: Client;
const as = (token: string) => openClient(httpTransport({ baseUrl: api.url, token }));

beforeAll(async () => {
  api = await startApi();
  admin = as(api.token);
});
afterAll(() => api?.stop());

/** Follows a company and returns the status; `close` stops. */
const follow = async (companyId: string, token: string) => {
  const abort = new AbortController();
  const response = await fetch(`${api.url}/api/companies/${companyId}/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  });
  const { status, headers } = response;
  // fetch closes responses without a reference.
  return { status, retryAfter: headers.get("retry-after"), response, close: () => abort.abort() };
};

describe("Event streams", () => {
  it("are limited to 20 per caller, and an ended one frees a slot", async () => {
    const { id } = await api.company();
    const { token } = await api.user(id, "viewer");
    const open = await Promise.all(Array.from({ length: 20 }, () => follow(id, token)));
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
    expect(await follow(id, token)).toMatchObject({ status: 429, retryAfter: "10" });
    const other = await follow(id, (await api.user(id, "viewer")).token);
    expect(other.status).toBe(200);

    open.pop()!.close();
    open.push(
      await eventually(
        () => follow(id, token),
        ({ status }) => status === 200,
      ),
    );
    for (const { close } of [...open, other]) close();
  });

  it("are limited to 1,000 per company, for all callers together, and other companies have their own", async () => {
    const { id } = await api.company();
    const users = await Promise.all(Array.from({ length: 51 }, () => api.user(id, "viewer")));
    const open = [];
    for (const { token } of users.slice(0, 50))
      open.push(...(await Promise.all(Array.from({ length: 20 }, () => follow(id, token)))));
    expect(open.filter(({ status }) => status === 200)).toHaveLength(1_000);
    expect((await follow(id, users[50]!.token)).status).toBe(429);
    const elsewhere = await follow((await api.company()).id, api.token);
    expect(elsewhere.status).toBe(200);
    for (const { close } of [...open, elsewhere]) close();
  });

  it("tell which of them are of the caller's own request, by the id that it has given that", async () => {
    const { id: companyId } = await api.company();
    const events = admin.system.events({ companyId, types: ["activity.logged"] });
    await events.next();
    const { id: issueId } = await admin.issues.create({ companyId, title: "One" }, { requestId: "tab.1-a" });
    await admin.issues.update({ issueId, title: "Two" });
    await admin.issues.update({ issueId, title: "Three" }, { requestId: "tab.1-b" });
    const seen: unknown[] = [];
    for await (const { data } of events) {
      // The stream may begin before the company's own entries.
      if (!String(data.action).startsWith("issue.")) continue;
      seen.push([data.action, data.requestId]);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([
      ["issue.created", "tab.1-a"],
      ["issue.updated", null],
      ["issue.updated", "tab.1-b"],
    ]);
  });

  it.each(["", "a b", "a".repeat(65), "ä"])("refuse the request id %j", async (requestId) => {
    const { id: companyId } = await api.company();
    const response = await fetch(`${api.url}/api/companies/${companyId}/issues`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${api.token}`,
        "content-type": "application/json",
        "x-service-request-id": requestId,
      },
      body: JSON.stringify({ title: "One" }),
    });
    const { code, error } = (await response.json()) as { code: string; error: string };
    expect([response.status, code]).toEqual([400, "validation_error"]);
    expect(error).toContain("X-Service-Request-Id");
    expect(await admin.issues.list({ companyId })).toMatchObject({ items: [] });
  });

  it("name their initial position, so that a reader without events can resume after it", async () => {
    const { id: companyId } = await api.company();
    const events = admin.system.events({ companyId });
    const { value: opened } = await events.next();
    expect(opened).toMatchObject({ event: "stream.opened", data: { position: opened!.id } });
    await events.return();
    const { id } = await admin.issues.create({ companyId, title: "Meanwhile" });
    const goneOn = admin.system.events({ companyId }, { lastEventId: opened!.id });
    // Events committed before that were not yet certain to be in order may come first.
    const later: unknown[] = [];
    for await (const { event, data } of goneOn) {
      later.push(event === "activity.logged" && data.entityId);
      if (later.includes(id)) break;
    }
    expect(later.length).toBeLessThan(3);
  });

  it("of all companies of a caller have one order, no other events, and end when a company is added or removed", async () => {
    const [mine, other, foreign] = [await api.company(), await api.company(), await api.company()];
    const { token, id: userId } = await api.user(mine.id, "viewer");
    await admin.members.set({ companyId: other.id, userId, role: "viewer" });
    const seen: { event: string; data: unknown }[] = [];
    const reading = (async () => {
      for await (const event of as(token).system.allEvents({ types: ["activity.logged"] })) seen.push(event);
    })();
    await eventually(
      async () => seen.length,
      (count) => count > 0,
    );
    const made: string[] = [];
    for (const { id: companyId } of [mine, foreign, other, mine])
      made.push((await admin.issues.create({ companyId, title: "Received" })).id);
    // The membership that was set before, not yet certain to be in order then, may come first.
    const received = () =>
      seen
        .map(({ data }) => data as { action?: string; entityId: string })
        .filter(({ action }) => action === "issue.created")
        .map(({ entityId }) => entityId);
    await eventually(
      async () => received(),
      (ids) => ids.length === 3,
    );
    expect(received()).toEqual([made[0], made[2], made[3]]);
    await admin.members.remove({ companyId: other.id, userId });
    await reading;
  });

  it("hold log chunks only of the requested runs, with all other types", async () => {
    const { id: companyId } = await api.company();
    const [shown, second, other] = [randomUUID(), randomUUID(), randomUUID()];
    const received: string[] = [];
    // The company that was made before, not yet certain to be in order then, may come first.
    const reading = (async () => {
      for await (const { event, data } of admin.system.allEvents({ logOfRunId: [shown, second] })) {
        if (event === "activity.logged" && data.entityType !== "issue") continue;
        received.push(event === "heartbeat.run.log" ? `${event} ${data.runId}` : event);
        if (event === "activity.logged") return;
      }
    })();
    await eventually(
      async () => received.length,
      (count) => count === 1,
    );
    for (const runId of [other, shown, second])
      await api.sql`
        insert into run_log_segments (run_id, company_id, byte_offset, bytes, blob_key, created_at)
        values (${runId}, ${companyId}, 0, 10, 'none', now())`;
    await admin.issues.create({ companyId, title: "Next to" });
    await reading;
    expect(received.splice(1, 2).sort()).toEqual(
      [shown, second].map((id) => `heartbeat.run.log ${id}`).sort(),
    );
    expect(received).toEqual(["stream.opened", "activity.logged"]);
  });

  it("say how long logs are to those that name that type, once for all that was written together, without the text", async () => {
    const { id: companyId } = await api.company();
    const [one, two] = [randomUUID(), randomUUID()];
    const received: unknown[] = [];
    const reading = (async () => {
      const types = ["activity.logged", "heartbeat.run.output"] as const;
      for await (const { event, data } of admin.system.allEvents({ types: [...types] })) {
        if (event === "activity.logged" && data.companyId === companyId && data.entityType === "issue")
          return;
        if (event !== "activity.logged") received.push(event === "stream.opened" ? event : data);
      }
    })();
    await eventually(
      async () => received.length,
      (count) => count === 1,
    );
    // One transaction, so that the service reads them together.
    await api.sql`
      insert into run_log_segments (run_id, company_id, byte_offset, bytes, blob_key, created_at)
      values (${one}, ${companyId}, 0, 10, 'none', now()), (${one}, ${companyId}, 10, 5, 'none', now()),
             (${two}, ${companyId}, 0, 7, 'none', now())`;
    await admin.issues.create({ companyId, title: "Next to" });
    await reading;
    expect(received).toEqual([
      "stream.opened",
      { companyId, runId: one, logBytes: 15 },
      { companyId, runId: two, logBytes: 7 },
    ]);
  });

  it("begin anew while they are open when events were deleted that the service had not read", async () => {
    const { id: companyId } = await api.company();
    const received: string[] = [];
    const reading = (async () => {
      for await (const { event, data } of admin.system.events({ companyId })) {
        received.push(event === "activity.logged" ? String(data.action) : event);
        if (received.at(-1) === "project.created") return;
      }
    })();
    await eventually(
      async () => received.length,
      (count) => count > 0,
    );
    await api.sql`
      insert into deleted_events (company_id, xid, position)
      values (${companyId}, pg_current_xact_id(), nextval('stream_positions'))`;
    await eventually(
      async () => received.filter((event) => event === "stream.opened").length,
      (count) => count === 2,
    );
    await admin.projects.create({ companyId, name: "Afterwards" });
    await reading;
    expect(received.filter((event) => event === "stream.opened")).toHaveLength(2);
  });

  it("give a late reader the same events, however far behind", async () => {
    const { id: companyId } = await api.company();
    const early: string[] = [];
    const stop = new AbortController();
    const events = admin.system.events({ companyId }, { signal: stop.signal });
    const { value: opened } = await events.next();
    // The company that was made before, not yet certain to be in order then, may come first.
    const isShown = ({ data }: { readonly data: object }) =>
      (data as { readonly entityType?: string }).entityType === "issue";
    const listening = (async () => {
      for await (const event of events) if (isShown(event)) early.push(event.id);
    })().catch(() => {});
    for (let n = 0; n < 60; n++)
      await Promise.all(
        Array.from({ length: 10 }, (_, k) => admin.issues.create({ companyId, title: `${n} ${k}` })),
      );
    await eventually(
      async () => early.length,
      (count) => count === 600,
    );
    for (const from of [opened!.id, early[299]!, early[598]!]) {
      const late: string[] = [];
      const expected = early.slice(early.indexOf(from) + 1);
      for await (const event of admin.system.events({ companyId }, { lastEventId: from }))
        if (isShown(event) && late.push(event.id) === expected.length) break;
      expect(late).toEqual(expected);
    }
    expect(new Set(early).size).toBe(600);
    stop.abort();
    await listening;
  });
});
