import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiService, apiOn } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

interface Got {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let api: ApiService;
let receiver: Server;
let port: number;
let got: Got[] = [];
let answer: (path: string, response: ServerResponse) => void;
let companyId: string;
/** Of each test its own: what an earlier one left to be sent is no matter of it. */
let hook = "";
let tests = 0;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const path = request.url ?? "";
      if (!path.startsWith(hook)) return response.end();
      got.push({ path, headers: request.headers, body });
      return answer(path, response);
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  port = (receiver.address() as AddressInfo).port;
  api = apiOn(await startService({ env: { SERVICE_OUTBOUND_PRIVATE_HOSTS: "localhost" } }));
});
afterAll(async () => {
  await api?.stop();
  receiver?.closeAllConnections();
  receiver?.close();
});
beforeEach(async () => {
  got = [];
  hook = `/${++tests}/hook`;
  answer = (_, response) => response.end("thanks");
  companyId = (await api.company()).id;
});

const subscribe = (fields: object = {}) =>
  api.make(`/api/companies/${companyId}/event-subscriptions`, {
    url: `http://localhost:${port}${hook}`,
    events: ["label.*"],
    ...fields,
  });
const label = (name: string) => api.make(`/api/companies/${companyId}/labels`, { name });
const deliveries = async (id: string) => (await api.get(`/api/event-subscriptions/${id}/deliveries`)).body;
/** The delivery of a test event, once it was attempted. */
const tested = async (id: string) => {
  await api.make(`/api/event-subscriptions/${id}/test`);
  const [first] = await eventually(
    () => deliveries(id),
    ([delivery]) => delivery?.attempts > 0,
  );
  return first;
};

describe("Events of a company", () => {
  it("reach a receiver that verifies them, and their answers are listed", async () => {
    const { id, secret, ...shown } = await subscribe();
    expect(shown).toMatchObject({ disabledAt: null, pending: 0, undelivered: 0 });
    const { id: labelId } = await label("bug");
    const [delivery] = await eventually(
      () => deliveries(id),
      ([first]) => first?.state === "delivered",
    );
    expect(delivery).toMatchObject({
      type: "label.created",
      subjectId: labelId,
      status: 200,
      answer: "thanks",
    });
    const verified = new Webhook(secret).verify(got[0]!.body, got[0]!.headers as Record<string, string>);
    expect(verified).toMatchObject({
      type: "label.created",
      data: { companyId, entityId: labelId, details: { name: "bug" } },
    });
    expect(() =>
      new Webhook(secret).verify(`${got[0]!.body} `, got[0]!.headers as Record<string, string>),
    ).toThrow();
    const again = await api.get(`/api/event-subscriptions/${id}`);
    expect(JSON.stringify(again.body)).not.toContain("whsec_");
  });

  it("are sent again on request, with the same id", async () => {
    const { id } = await subscribe();
    await label("bug");
    const [delivery] = await eventually(
      () => deliveries(id),
      ([first]) => first?.state === "delivered",
    );
    expect(await api.make(`/api/event-deliveries/${delivery.id}/redeliver`)).toMatchObject({
      state: "pending",
    });
    await eventually(
      async () => got.length,
      (count) => count === 2,
    );
    expect(got[1]!.headers["webhook-id"]).toBe(got[0]!.headers["webhook-id"]);
    await eventually(
      () => deliveries(id),
      ([first]) => first?.state === "delivered",
    );
    const range = { from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z", states: ["delivered"] };
    expect(await api.make(`/api/event-subscriptions/${id}/redeliver`, range)).toEqual({ deliveries: 1 });
  });

  it.each([
    [
      "the address of this machine",
      () => `http://127.0.0.1:${port}${hook}`,
      /SERVICE_OUTBOUND_PRIVATE_HOSTS/,
    ],
    ["a metadata address", () => "http://169.254.169.254/latest", /never called/],
    ["a metadata address in another form", () => "http://[::ffff:a9fe:a9fe]/", /never called/],
    ["a name without an address", () => "https://hooks.invalid/", /no address/],
  ])("are not sent to %s", async (_, url, reason) => {
    const { id } = await subscribe({ url: url() });
    expect(await tested(id)).toMatchObject({
      state: "pending",
      status: null,
      answer: expect.stringMatching(reason),
    });
    expect(got).toEqual([]);
  });

  it.each([
    [
      "the address of this machine",
      () => `http://127.0.0.1:${port}${hook}/inner`,
      /SERVICE_OUTBOUND_PRIVATE_HOSTS/,
    ],
    ["a metadata address", () => "http://169.254.169.254/latest", /never called/],
    ["itself without end", () => `http://localhost:${port}${hook}`, /more than 3 times/],
    ["no address", () => "file:///etc/passwd", /no http/],
  ])("are not sent to %s by a redirect", async (_, location, reason) => {
    answer = (_path, response) => response.writeHead(307, { location: location() }).end();
    const { id } = await subscribe();
    expect(await tested(id)).toMatchObject({ status: null, answer: expect.stringMatching(reason) });
    expect(got.every(({ path }) => path === hook)).toBe(true);
  });

  it("follow a redirect that repeats the request, and no other", async () => {
    answer = (path, response) =>
      path === hook ? response.writeHead(308, { location: `${hook}/there` }).end() : response.end("arrived");
    const { id } = await subscribe();
    expect(await tested(id)).toMatchObject({ state: "delivered", answer: "arrived" });
    expect(got[1]).toMatchObject({ path: `${hook}/there`, body: got[0]!.body });
    answer = (_, response) => response.writeHead(302, { location: `${hook}/there` }).end("moved");
    expect(await tested(id)).toMatchObject({ state: "pending", status: 302, answer: "moved" });
  });

  it("say in the inbox of operators that their receiver is gone, until it is enabled again", async () => {
    answer = (_, response) => response.writeHead(410).end("we closed");
    const { id } = await subscribe();
    await api.make(`/api/event-subscriptions/${id}/test`);
    const [entry] = await eventually(
      async () => (await api.get(`/api/companies/${companyId}/inbox`)).body,
      (entries) => entries.length > 0,
    );
    expect(entry).toMatchObject({
      kind: "unsent_events",
      subject: { type: "event_subscription", id },
      reason: expect.stringContaining("we closed"),
    });
    expect((await api.post(`/api/event-subscriptions/${id}/test`)).status).toBe(409);
    await api.patch(`/api/event-subscriptions/${id}`, { enabled: true });
    expect((await api.get(`/api/companies/${companyId}/inbox`)).body).toEqual([]);
  });

  it("keep their secrets out of answers, rows and the activity", async () => {
    answer = (_, response) => response.end(`I know ${secret}`);
    const { id, secret } = await subscribe();
    expect(await tested(id)).toMatchObject({ state: "delivered", answer: "I know ••••" });
    const texts = await api.sql`
      select row_to_json(e)::text as text from event_subscriptions e union all
      select row_to_json(d)::text from event_deliveries d union all select row_to_json(a)::text from activity a
    `;
    expect(texts.filter(({ text }) => text.includes(secret.slice(6)))).toEqual([]);
  });
});

describe("Notices in a person's chat", () => {
  /** An owner of the company who gets notices of decisions in a chat, without a grace period. */
  const aPerson = async (fields: object = {}) => {
    const person = await api.user(companyId, "owner");
    const url = `http://localhost:${port}${hook}/secret`;
    await api.put("/api/session/chat", { format: "slack", url, ...fields }, person);
    const settings = (await api.get("/api/session/notices", person)).body;
    const chat = { kinds: ["decision", "sign_in"], graceSec: 0 };
    await api.put("/api/session/notices", { ...settings, channels: { ...settings.channels, chat } }, person);
    return person;
  };
  const texts = () => got.map(({ body }) => JSON.parse(body).text as string);
  const arrived = (count: number) =>
    eventually(
      () => Promise.resolve(texts()),
      (all) => all.length >= count,
    );
  const anApproval = () =>
    api.make(`/api/companies/${companyId}/approvals`, {
      type: "approve_ceo_strategy",
      payload: { title: "Berth <plan>", plan: "secret words of a plan" },
    });

  it("say what waits with a link to the decision, after a test, once, and no more once it is removed", async () => {
    const person = await aPerson();
    const { body, status } = await api.post("/api/session/notices/test", { channel: "chat" }, person);
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await arrived(1))[0]).toContain("Notices reach you here.");
    const { id } = await anApproval();
    const [, text] = await arrived(2);
    expect(text).toContain("Berth &lt;plan&gt;");
    expect(text).toMatch(new RegExp(`<http\\S+/approvals/${id}\\|Open>$`));
    expect(text).not.toContain("secret words");
    expect((await api.get("/api/session/chat", person)).body).toMatchObject({
      format: "slack",
      url: `http://localhost:${port}/…`,
      lastError: null,
      lastUsedAt: expect.any(String),
    });
    await api.delete("/api/session/chat", person);
    expect((await api.get("/api/session/chat", person)).body).toBeNull();
    const refused = await api.post("/api/session/notices/test", { channel: "chat" }, person);
    expect(refused.body.code).toBe("notice_channel_unreachable");
    // Withdrawals and further rounds have sent nothing.
    expect(texts()).toHaveLength(2);
  });

  it("tell of a sign-in on a new device, and of one that was refused", async () => {
    const person = await aPerson();
    const link = async () =>
      (await api.make("/api/session/links", undefined, person)).url.split("#code=")[1] as string;
    const use = (code: string, browser: string) =>
      api.post("/api/session/code", { code }, { token: null, headers: { "user-agent": browser } });
    await use(await link(), "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0");
    const code = await link();
    await use(code, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile Safari/604.1");
    expect((await arrived(1))[0]).toMatch(/^New sign-in\nYou signed in with Safari on iPhone/);
    await use(code, "Mozilla/5.0 (Windows NT 10.0) Chrome/131.0");
    expect((await arrived(2))[1]).toMatch(
      /^Sign-in refused\nSomebody tried to sign in as you with Chrome on Windows/,
    );
  });

  it("are tried again where the chat is down, and their person sees why", async () => {
    const person = await aPerson();
    answer = (_, response) => {
      response.statusCode = 503;
      response.end("no");
    };
    const test = () => api.post("/api/session/notices/test", { channel: "chat" }, person);
    expect((await test()).body.code).toBe("notice_not_sent");
    expect((await api.get("/api/session/chat", person)).body).toMatchObject({
      lastUsedAt: null,
      lastError: `localhost:${port} answered 503.`,
    });
  });

  it("keep the address out of answers and rows, and go to no private address that isn't allowed", async () => {
    const person = await aPerson();
    const [row] = await api.sql`select *, encode(sealed, 'escape') as text from notice_chats
                                where user_id = ${person.id}`;
    expect(JSON.stringify(row)).not.toContain("secret");
    for (const [url, code] of [
      ["http://127.0.0.1:1/hook", "notice_chat_refused"],
      ["http://169.254.169.254/hook", "notice_chat_refused"],
      ["ftp://chat.example/hook", "validation_error"],
      ["https://a:b@chat.example/hook", "validation_error"],
    ]) {
      const refused = await api.put("/api/session/chat", { format: "slack", url }, person);
      expect(refused.body, url).toMatchObject({ code, details: expect.anything() });
      expect(JSON.stringify(refused.body), url).toContain('"url"');
    }
    const none = await api.put("/api/session/chat", { format: "webhook", url: "https://a.example" }, person);
    expect(none.body.code).toBe("validation_error");
  });
});
