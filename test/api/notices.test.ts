import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultNotices } from "../../core/model/notices/notice-settings.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf } from "../support/service.ts";

const path = "/api/session/notices";

let api: ApiService;
let companyId: string;
let foreignId: string;
let user: { readonly token: string };

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  foreignId = (await api.company()).id;
  const ada = await api.make("/api/board-users", { name: "Ada" });
  const { token } = await api.make("/api/board-tokens", { name: "t", userId: ada.id });
  await api.put(`/api/companies/${companyId}/members/${ada.id}`, { role: "operator" });
  user = { token };
});
afterAll(() => api?.stop());

describe("The settings of notices", () => {
  it("are the defaults at first: what waits for the person, and sign-ins that may not be theirs", async () => {
    expect((await api.get(path, user)).body).toEqual(defaultNotices);
    expect(defaultNotices.channels.push).toEqual({ kinds: ["decision", "sign_in"], graceSec: 5 });
    for (const channel of ["email", "chat"] as const)
      expect(defaultNotices.channels[channel]).toEqual({ kinds: ["decision", "sign_in"], graceSec: 60 });
  });

  it("are stored for each person", async () => {
    const settings = {
      ...defaultNotices,
      companies: [{ companyId, kinds: { push: ["decision", "budget"], email: [], chat: [] } }],
      timeZone: "Asia/Kolkata",
      quietHours: { from: "22:00", to: "07:30" },
    };
    expect((await api.put(path, settings, user)).body).toEqual(settings);
    expect((await api.get(path, user)).body).toEqual(settings);
    expect((await api.get(path)).body).toEqual(defaultNotices);
  });

  const named = (id: string) => [{ companyId: id, kinds: { push: [], email: [], chat: [] } }];
  it.each([
    ["timeZone", { timeZone: "Nowhere/City" }],
    ["timeZone", { timeZone: "+02:00" }],
    ["quietHours.from", { quietHours: { from: "24:00", to: "07:00" } }],
    ["digestAt", { digestAt: "8" }],
    [
      "channels.push.kinds.0",
      { channels: { ...defaultNotices.channels, push: { kinds: ["all"], graceSec: 5 } } },
    ],
    [
      "channels.push.graceSec",
      { channels: { ...defaultNotices.channels, push: { kinds: [], graceSec: -1 } } },
    ],
    ["companies.0.companyId", { companies: [{ companyId: "x", kinds: { push: [], email: [], chat: [] } }] }],
  ])("are refused with the name of the field: %s", async (field, wrong) => {
    const before = (await api.get(path, user)).body;
    const answer = await api.put(path, { ...defaultNotices, ...wrong }, user);
    expect(outcomeOf(answer)).toBe("400 validation_error");
    expect(answer.body.details[0].path.join(".")).toBe(field);
    expect((await api.get(path, user)).body).toEqual(before);
  });

  it("name companies of the person, each once", async () => {
    const put = async (companies: unknown) =>
      outcomeOf(await api.put(path, { ...defaultNotices, companies }, user));
    expect(await put(named(foreignId))).toBe("422 reference_not_found");
    expect(await put(named(randomUUID()))).toBe("422 reference_not_found");
    expect(await put([...named(companyId), ...named(companyId)])).toBe("400 validation_error");
    expect(await put(named(companyId.toUpperCase()))).toBe("200");
  });
});

describe("An open page", () => {
  it("reports that the person sees what waits", async () => {
    expect(outcomeOf(await api.post(`${path}/seen`, { stays: true }, user))).toBe("200");
    expect(outcomeOf(await api.post(`${path}/seen`, {}, user))).toBe("400 validation_error");
  });
});
