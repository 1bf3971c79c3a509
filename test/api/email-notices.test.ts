import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultNotices, type NoticeSettings } from "../../core/model/notices/notice-settings.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { type MailServer, type ReceivedMail, readable, startMailServer } from "../support/mail-server.ts";
import { outcomeOf } from "../support/service.ts";

const publicUrl = "https://board.example";
const settingsPath = "/api/session/notices";

let mails: MailServer;
let api: ApiService;
beforeAll(async () => {
  mails = await startMailServer();
  api = await startApi({
    role: "all",
    env: {
      SERVICE_PUBLIC_URL: publicUrl,
      SERVICE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      SERVICE_SMTP_FROM: "Boardroom <boardroom@mail.example>",
    },
  });
});
afterAll(async () => {
  await api?.stop();
  await mails?.stop();
});

/** Without a grace period. */
const settings = (fields: Partial<NoticeSettings> = {}): NoticeSettings => ({
  ...defaultNotices,
  channels: { ...defaultNotices.channels, email: { kinds: ["decision"], graceSec: 0 } },
  ...fields,
});

let serial = 0;
const titled = (text: string) => `${text} ${++serial}`;

/** An owner of a company of their own, with a confirmed address. */
const aPerson = async () => {
  const { id: companyId, name: companyName } = await api.company();
  const user = await api.user(companyId, "owner");
  const address = `ada-${++serial}@example.org`;
  await api.put("/api/session/email", { address }, user);
  const sent = () => mails.received.filter(({ to }) => to.includes(address));
  const code = /#code=([\w-]{43})/.exec(readable(sent()[0]!))![1]!;
  await api.post("/api/session/email/confirm", { code }, { token: null });
  expect(outcomeOf(await api.put(settingsPath, settings(), user))).toBe("200");
  return { ...user, companyId, companyName, notices: () => sent().slice(1) };
};

type Person = Awaited<ReturnType<typeof aPerson>>;

/** An approval that waits for the company's people. */
const anApproval = async ({ companyId }: Person, text = titled("Plan")) => {
  const made = await api.make(`/api/companies/${companyId}/approvals`, {
    type: "approve_ceo_strategy",
    payload: { title: text, plan: "secret words of a plan" },
  });
  return made.id as string;
};

const received = async (person: Person, count: number): Promise<readonly ReceivedMail[]> =>
  eventually(
    async () => person.notices(),
    (all) => all.length >= count,
  );

const unsubscribeUrl = (mail: ReceivedMail): string =>
  /^List-Unsubscribe: <(.+)>$/m.exec(readable(mail))![1]!;
const oneClick = (url: string) =>
  api.request("POST", new URL(url).pathname, {
    token: null,
    text: "List-Unsubscribe=One-Click",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

describe("Notices by email", () => {
  it("go to the confirmed address, with a link to the decision and without its text", async () => {
    const person = await aPerson();
    const id = await anApproval(person);
    const [mail] = await received(person, 1);
    const text = readable(mail!);
    expect(text).toContain(`${publicUrl}/`);
    expect(text).toContain(id);
    expect(text).toMatch(/^Message-ID: <notice\.[\w-]+\.\d+@mail\.example>$/m);
    expect(text).toMatch(/^References: <notice\./m);
    expect(text).toMatch(/^Content-Type: text\/plain/m);
    expect(text).toMatch(/^Content-Type: text\/html/m);
    expect(text).not.toContain("secret words");
  });

  it("are of one thread for an issue", async () => {
    const person = await aPerson();
    const issue = await api.issue(person.companyId);
    const ask = (prompt: string) =>
      api.make(`/api/issues/${issue.id}/interactions`, {
        kind: "request_confirmation",
        payload: { version: 1, prompt },
      });
    await ask("One?");
    await received(person, 1);
    await ask("Two?");
    const threads = (await received(person, 2)).map((mail) => /^References: (.+)$/m.exec(readable(mail))![1]);
    expect(threads[0]).toBe(`<issue.${issue.id}@mail.example>`);
    expect(threads[1]).toBe(threads[0]);
  });

  it("are never sent to an address that isn't confirmed", async () => {
    const person = await aPerson();
    const other = await api.user(person.companyId, "owner");
    await api.put(settingsPath, settings(), other);
    await api.put("/api/session/email", { address: "unconfirmed@example.org" }, other);
    await anApproval(person);
    await received(person, 1);
    const there = mails.received.filter(({ to }) => to.includes("unconfirmed@example.org"));
    expect(there.map((mail) => /^Subject: (.*)$/m.exec(readable(mail))![1])).toEqual([
      "Confirm your email address",
    ]);
  });

  it("can be tested, as often as every ten seconds", async () => {
    const person = await aPerson();
    const test = () => api.post(`${settingsPath}/test`, { channel: "email" }, person);
    expect(outcomeOf(await test())).toBe("200");
    expect(readable((await received(person, 1))[0]!)).toContain("Notices reach you here.");
    const again = await test();
    expect(outcomeOf(again)).toBe("429 notice_tested_just_now");
    expect(Number(again.headers.get("retry-after"))).toBeLessThanOrEqual(10);
    expect(outcomeOf(await api.post(`${settingsPath}/test`, { channel: "push" }, person))).toBe(
      "409 notice_channel_unreachable",
    );
  });
});

describe("One click", () => {
  it("turns off the email of the company alone, without a sign-in, and is repeatable", async () => {
    const person = await aPerson();
    await anApproval(person);
    const [mail] = await received(person, 1);
    expect(readable(mail!)).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    const url = unsubscribeUrl(mail!);
    expect(url.startsWith(`${publicUrl}/unsubscribe/`)).toBe(true);
    for (let n = 0; n < 2; n++) expect(outcomeOf(await oneClick(url))).toBe("200");
    const { companyId } = person;
    expect((await api.get(settingsPath, person)).body).toEqual(
      settings({
        companies: [
          { companyId, kinds: { push: ["decision", "sign_in"], email: [], chat: ["decision", "sign_in"] } },
        ],
      }),
    );
  });

  it("is offered by the page that a browser gets, which changes nothing by itself", async () => {
    const person = await aPerson();
    await anApproval(person);
    const url = unsubscribeUrl((await received(person, 1))[0]!);
    const opened = await api.request("GET", new URL(url).pathname, {
      token: null,
      headers: { accept: "text/html" },
    });
    expect(opened.status).toBe(200);
    expect(opened.headers.get("content-type")).toContain("text/html");
    expect((await api.get(settingsPath, person)).body).toEqual(settings());
    expect((await api.request("GET", new URL(url).pathname, { token: null })).status).toBe(405);
  });

  it("does nothing by a link that was changed", async () => {
    const [person, other] = [await aPerson(), await aPerson()];
    await anApproval(person);
    const { pathname } = new URL(unsubscribeUrl((await received(person, 1))[0]!));
    const token = pathname.slice("/unsubscribe/".length);
    const [userId, scope, proof] = token.split(".");
    for (const wrong of [
      `${other.id}.${scope}.${proof}`,
      `${userId}.all.${proof}`,
      `${userId}.${scope}`,
      `${userId}.${scope}.`,
      `${token}.x`,
      `${userId}.${scope}.${"A".repeat(43)}`,
    ])
      expect(outcomeOf(await oneClick(`${publicUrl}/unsubscribe/${wrong}`)), wrong).toBe(
        "404 unsubscribe_token_not_valid",
      );
    for (const each of [person, other]) expect((await api.get(settingsPath, each)).body).toEqual(settings());
  });

  it("loses no other click at the same time", async () => {
    const person = await aPerson();
    const { id: second } = await api.company();
    await api.put(`/api/companies/${second}/members/${person.id}`, { role: "owner" });
    await anApproval(person);
    await anApproval({ ...person, companyId: second });
    const urls = (await received(person, 2)).map(unsubscribeUrl);
    expect((await Promise.all(urls.map(oneClick))).map(outcomeOf)).toEqual(["200", "200"]);
    const { companies } = (await api.get(settingsPath, person)).body as NoticeSettings;
    expect(companies.map(({ companyId }) => companyId).sort()).toEqual([person.companyId, second].sort());
  });

  it("leaves settings that can be saved when the person has left the company", async () => {
    const person = await aPerson();
    const { id: second } = await api.company();
    await api.put(`/api/companies/${second}/members/${person.id}`, { role: "owner" });
    await anApproval({ ...person, companyId: second });
    const url = unsubscribeUrl((await received(person, 1))[0]!);
    await api.delete(`/api/companies/${second}/members/${person.id}`);
    expect(outcomeOf(await oneClick(url))).toBe("200");
    const shown = (await api.get(settingsPath, person)).body;
    expect(shown).toEqual(settings());
    expect(outcomeOf(await api.put(settingsPath, shown, person))).toBe("200");
  });
});
