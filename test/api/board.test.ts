import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf } from "../support/service.ts";

let api: ApiService;
let companyId: string;
beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

const changeUser = (id: string, body: object) => api.patch(`/api/board-users/${id}`, body);

describe("A board user", () => {
  it("is created without rights and without a token", async () => {
    const { status, body } = await api.post("/api/board-users", { name: "Ann" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Ann", admin: false, disabledAt: null });
    expect((await api.get(`/api/board-tokens?userId=${body.id}`)).body).toEqual([]);
    expect((await api.get("/api/board-users")).body).toContainEqual(body);
  });

  it("reads its own identity", async () => {
    const user = await api.user(companyId, "operator");
    expect((await api.get("/api/session", user)).body).toEqual({
      userId: user.id,
      name: expect.any(String),
      admin: false,
      companies: [{ companyId, role: "operator" }],
      csrfToken: null,
      linkReusedAt: null,
      callerMay: expect.any(Object),
    });
  });

  it("changes its own name and nothing else of itself", async () => {
    const user = await api.user(companyId, "viewer");
    expect((await api.patch("/api/session", { name: "Ann" }, user)).body).toMatchObject({ name: "Ann" });
    expect((await api.get("/api/session", user)).body).toMatchObject({ name: "Ann", admin: false });
    expect(outcomeOf(await api.patch("/api/session", { name: "Ann", admin: true }, user))).toMatch(/^400/);
  });

  it("lists its own web sessions, and ends one of them", async () => {
    const [user, other] = [await api.user(companyId, "viewer"), await api.user(companyId, "viewer")];
    const cookie = async () => {
      const answer = await api.request("POST", "/api/session", user);
      return answer.headers.get("set-cookie")!.split(";")[0]!;
    };
    const [first, second] = [await cookie(), await cookie()];
    const by = (one: string) => ({ token: null, headers: { cookie: one } });
    const listed = (await api.get("/api/sessions", by(first))).body;
    expect(listed.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    expect((await api.get("/api/sessions", other)).body).toEqual([]);
    const [{ id }] = listed;
    expect(outcomeOf(await api.delete(`/api/board-tokens/${id}`, other))).toBe("404 token_not_found");
    expect(outcomeOf(await api.delete(`/api/board-tokens/${id}`, user))).toBe("200");
    expect(outcomeOf(await api.get("/api/session", by(second)))).toBe("401 unauthenticated");
    expect((await api.get("/api/sessions", by(first))).body).toHaveLength(1);
  });

  it("saves views of a company under names, which nobody else sees", async () => {
    const path = `/api/companies/${companyId}/saved-views`;
    const [user, other] = [await api.user(companyId, "viewer"), await api.user(companyId, "owner")];
    const urgent = (await api.put(path, { name: "Urgent", query: "priority=critical" }, user)).body;
    await api.put(path, { name: "Mine", query: "assignee=me" }, user);
    const again = (await api.put(path, { name: "URGENT", query: "priority=high" }, user)).body;
    expect(again).toMatchObject({ id: urgent.id, name: "URGENT", query: "priority=high" });
    expect((await api.get(path, user)).body.map(({ name }: { name: string }) => name)).toEqual([
      "Mine",
      "URGENT",
    ]);
    expect((await api.get(path, other)).body).toEqual([]);
    expect((await api.get(path)).body).toEqual([]);
    expect(outcomeOf(await api.delete(`${path}/${urgent.id}`, other))).toBe("404 saved_view_not_found");
    expect(outcomeOf(await api.delete(`${path}/${urgent.id}`, user))).toBe("200");
  });

  it("gives a saved view another name, which none of the same person has", async () => {
    const path = `/api/companies/${companyId}/saved-views`;
    const [user, other] = [await api.user(companyId, "viewer"), await api.user(companyId, "owner")];
    const urgent = (await api.put(path, { name: "Urgent", query: "priority=critical" }, user)).body;
    const mine = (await api.put(path, { name: "Mine", query: "assignee=me" }, user)).body;
    await api.put(path, { name: "Later", query: "" }, other);
    const rename = (name: string, as = user) => api.patch(`${path}/${urgent.id}`, { name }, as);
    expect(outcomeOf(await rename("MINE"))).toBe("409 saved_view_name_taken");
    expect(outcomeOf(await rename("  "))).toBe("400 validation_error");
    expect(outcomeOf(await rename("Later", other))).toBe("404 saved_view_not_found");
    expect((await api.get(path, user)).body).toEqual([mine, urgent]);
    expect((await rename("URGENT")).body).toMatchObject({
      ...urgent,
      name: "URGENT",
      updatedAt: expect.any(String),
    });
    expect((await rename("Later")).body).toMatchObject({ id: urgent.id, name: "Later", query: urgent.query });
    // Of two at once that want one name, one has it.
    const both = await Promise.all([rename("One"), api.patch(`${path}/${mine.id}`, { name: "one" }, user)]);
    expect(both.map(outcomeOf).sort()).toEqual(["200", "409 saved_view_name_taken"]);
  });

  it("saves fifty views in a company, however many calls race", async () => {
    const path = `/api/companies/${companyId}/saved-views`;
    const user = await api.user(companyId, "viewer");
    const answers = await Promise.all(
      Array.from({ length: 52 }, (_, n) => api.put(path, { name: `V${n}`, query: "" }, user)),
    );
    expect(answers.map(outcomeOf).filter((each) => each !== "200")).toEqual([
      "409 too_many_saved_views",
      "409 too_many_saved_views",
    ]);
    expect(
      outcomeOf(
        await api.put(
          path,
          { name: answers.find(({ status }) => status === 200)!.body.name, query: "q=x" },
          user,
        ),
      ),
    ).toBe("200");
  });

  it("is renamed, promoted and demoted, at once", async () => {
    const user = await api.user(null);
    expect(outcomeOf(await api.get("/api/board-users", user))).toBe("403 forbidden");
    expect((await changeUser(user.id, { name: "Boss", admin: true })).body).toMatchObject({
      name: "Boss",
      admin: true,
    });
    expect(outcomeOf(await api.get("/api/board-users", user))).toBe("200");
    expect(outcomeOf(await api.get(`/api/companies/${companyId}`, user))).toBe("200");
    await changeUser(user.id, { admin: false });
    expect(outcomeOf(await api.get("/api/board-users", user))).toBe("403 forbidden");
  });

  it("that is the last admin cannot be demoted or disabled", async () => {
    const { userId } = (await api.get("/api/session")).body;
    for (const change of [{ admin: false }, { disabled: true }, { admin: false, disabled: true }])
      expect(outcomeOf(await changeUser(userId, change))).toBe("409 last_admin");
    const second = await api.user(null);
    await changeUser(second.id, { admin: true });
    const both = await Promise.all([
      changeUser(userId, { admin: false }),
      changeUser(second.id, { admin: false }),
    ]);
    const outcomes = both.map(outcomeOf).sort();
    // The caller of the second may have lost its admin right by then.
    expect([
      ["200", "409 last_admin"],
      ["200", "403 forbidden"],
    ]).toContainEqual(outcomes);
    const admins = await api.sql`select id from board_users where is_admin and disabled_at is null`;
    expect(admins).toHaveLength(1);
    await api.sql`update board_users set is_admin = (id = ${userId})`;
  });

  it("that is disabled does not count as an admin", async () => {
    const { userId } = (await api.get("/api/session")).body;
    const second = await api.user(null);
    await changeUser(second.id, { admin: true });
    await changeUser(second.id, { disabled: true });
    expect(outcomeOf(await changeUser(userId, { admin: false }))).toBe("409 last_admin");
  });
});

describe("A board token", () => {
  it("is shown once, listed without its text, newest first", async () => {
    const user = await api.user(companyId, "viewer");
    const { status, body } = await api.post("/api/board-tokens", { name: "cli" }, user);
    expect(status).toBe(201);
    expect(body).toMatchObject({ userId: user.id, name: "cli", expiresAt: null });
    expect(body.token).toMatch(/^brd_[0-9a-f]{48}$/);
    const listed = (await api.get("/api/board-tokens", user)).body;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(["cli", "test"]);
    expect(JSON.stringify(listed)).not.toContain(body.token.slice(4));
  });

  it("is made, listed and revoked by its user; an admin also manages those of others", async () => {
    const [mine, other] = [await api.user(companyId, "owner"), await api.user(companyId, "viewer")];
    const of = `/api/board-tokens?userId=${other.id}`;
    expect(outcomeOf(await api.get(of, mine))).toBe("403 forbidden");
    expect(outcomeOf(await api.post("/api/board-tokens", { name: "t", userId: other.id }, mine))).toBe(
      "403 forbidden",
    );
    const [token] = (await api.get(of)).body;
    expect(outcomeOf(await api.delete(`/api/board-tokens/${token.id}`, mine))).toBe("404 token_not_found");
    expect(outcomeOf(await api.delete(`/api/board-tokens/${randomUUID()}`, mine))).toBe(
      "404 token_not_found",
    );
    expect(outcomeOf(await api.delete(`/api/board-tokens/${token.id}`, other))).toBe("200");
    expect((await api.get("/api/session", other)).status).toBe(401);
    expect((await api.get(of)).body[0].revokedAt).not.toBeNull();
  });

  it("is not made for a disabled user", async () => {
    const user = await api.user(null);
    await changeUser(user.id, { disabled: true });
    expect(outcomeOf(await api.post("/api/board-tokens", { name: "t", userId: user.id }))).toBe(
      "422 reference_not_found",
    );
  });
});

describe("A member", () => {
  const member = (id: string) => `/api/companies/${companyId}/members/${id}`;

  it("has one role, which can be changed and removed", async () => {
    const user = await api.user(null);
    expect(outcomeOf(await api.get(`/api/companies/${companyId}`, user))).toBe("403 forbidden");
    for (const role of ["viewer", "operator", "owner"]) {
      expect((await api.put(member(user.id), { role })).body).toMatchObject({
        companyId,
        userId: user.id,
        role,
      });
      expect((await api.get("/api/session", user)).body.companies).toEqual([{ companyId, role }]);
    }
    expect((await api.delete(member(user.id))).body).toEqual({ ok: true });
    expect(outcomeOf(await api.get(`/api/companies/${companyId}`, user))).toBe("403 forbidden");
    expect(outcomeOf(await api.delete(member(user.id)))).toBe("404 member_not_found");
  });

  it("is an existing user in an existing role", async () => {
    expect(outcomeOf(await api.put(member(randomUUID()), { role: "viewer" }))).toBe("404 user_not_found");
    const user = await api.user(null);
    for (const role of ["admin", "", null])
      expect(outcomeOf(await api.put(member(user.id), { role }))).toBe("400 validation_error");
  });

  it("is, to an owner, no person of companies that the owner has no role in", async () => {
    const owner = await api.user(companyId, "owner");
    const elsewhere = await api.company();
    const outsider = await api.user(elsewhere.id, "owner");
    const put = (id: string, by = owner) =>
      api.request("PUT", member(id), { body: { role: "viewer" }, token: by.token });
    expect((await put(outsider.id)).body).toEqual((await put(randomUUID())).body);
    expect(outcomeOf(await put(outsider.id))).toBe("404 user_not_found");
    expect(outcomeOf(await put((await api.user(null)).id))).toMatch(/^200/);
    await api.put(`/api/companies/${elsewhere.id}/members/${owner.id}`, { role: "viewer" });
    expect((await put(outsider.id)).body).toMatchObject({ userId: outsider.id, role: "viewer" });
  });

  it("is invited by an owner who has never seen it: new, with one role, by a link that works once", async () => {
    const owner = await api.user(companyId, "owner");
    const path = `/api/companies/${companyId}/members/invitations`;
    expect(outcomeOf(await api.post(path, { name: "Zoe", role: "king" }, owner))).toMatch(/^400/);
    const { status, body } = await api.post(path, { name: "Zoe", role: "viewer" }, owner);
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Zoe", role: "viewer" });
    const code = body.url.split("#code=")[1];
    const signedIn = await api.request("POST", "/api/session/code", { token: null, body: { code } });
    const headers = { cookie: signedIn.headers.get("set-cookie")!.split(";")[0]! };
    expect((await api.get("/api/session", { token: null, headers })).body).toMatchObject({
      userId: body.id,
      admin: false,
      companies: [{ companyId, role: "viewer" }],
    });
    const [last, entry] = (await api.get(`/api/companies/${companyId}/activity`)).body;
    expect(last).toMatchObject({ action: "member.signed_in", details: { method: "invitation" } });
    expect(entry).toMatchObject({
      action: "member.invited",
      actorId: owner.id,
      entityId: body.id,
      details: { name: "Zoe", role: "viewer" },
    });
    expect(JSON.stringify(entry)).not.toContain(code);
  });

  it("is set and removed with an entry in the activity log", async () => {
    const user = await api.user(companyId, "viewer");
    await api.delete(member(user.id));
    const entries = (await api.get(`/api/companies/${companyId}/activity?entityId=${user.id}`)).body;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(["member.removed", "member.set"]);
  });
});
