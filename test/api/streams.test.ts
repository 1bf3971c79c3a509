import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/service.ts";

let api: ApiService;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

/** Follows a company, and says with what status; `close` stops. */
const follow = async (companyId: string, token: string) => {
  const abort = new AbortController();
  const { status, headers } = await fetch(`${api.url}/api/companies/${companyId}/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  });
  return { status, retryAfter: headers.get("retry-after"), close: () => abort.abort() };
};

describe("Event streams", () => {
  it("are 20 at most of one caller, and one that has ended makes room", async () => {
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

  it("are 100 at most of one company, whoever follows, and others follow theirs", async () => {
    const { id } = await api.company();
    const users = await Promise.all(Array.from({ length: 6 }, () => api.user(id, "viewer")));
    const open = await Promise.all(
      users.slice(0, 5).flatMap(({ token }) => Array.from({ length: 20 }, () => follow(id, token))),
    );
    expect(open.filter(({ status }) => status === 200)).toHaveLength(100);
    expect((await follow(id, users[5]!.token)).status).toBe(429);
    const elsewhere = await follow((await api.company()).id, api.token);
    expect(elsewhere.status).toBe(200);
    for (const { close } of [...open, elsewhere]) close();
  });
});
