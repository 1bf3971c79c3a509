import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { mostConfirmations } from "../../core/model/access/email-address.ts";
import { mostGuesses } from "../../hosts/http/guesses.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { authenticator } from "../support/authenticator.ts";
import { type MailServer, type ReceivedMail, readable, startMailServer } from "../support/mail-server.ts";
import { outcomeOf, type RawRequest } from "../support/service.ts";

const publicUrl = "https://board.example";
const path = "/api/session/email";

let mails: MailServer;
let api: ApiService;
let companyId: string;
/** The mail server's answer to a recipient; null: it accepts. */
let refusesWith: number | null = null;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: (_, __, done) =>
      refusesWith === null ? done() : done(Object.assign(new Error("No"), { responseCode: refusesWith })),
  });
  api = await startApi({
    env: {
      SERVICE_PUBLIC_URL: publicUrl,
      SERVICE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      SERVICE_SMTP_FROM: "Boardroom <boardroom@mail.example>",
    },
  });
  companyId = (await api.company()).id;
});
afterAll(async () => {
  await api?.stop();
  await mails?.stop();
});
afterEach(() => {
  refusesWith = null;
});

const person = () => api.user(companyId, "viewer");
const anAddress = () => `ada-${randomUUID()}@example.org`;
const sentTo = (address: string): readonly ReceivedMail[] =>
  mails.received.filter(({ to }) => to.includes(address));
const codeIn = (mail: ReceivedMail | undefined): string => /#code=([\w-]{43})/.exec(readable(mail!))![1]!;
const confirm = (code: string, as: RawRequest = { token: null }) => api.post(`${path}/confirm`, { code }, as);
const later = async <A>(minutes: number, work: () => Promise<A>): Promise<A> => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
};

const nothing = {
  address: null,
  confirmedAt: null,
  provider: null,
  unconfirmedAddress: null,
  unconfirmedUntil: null,
  available: true,
};

describe("The email address of a person", () => {
  it("is confirmed by the link that is sent there, without a sign-in", async () => {
    const [user, address] = [await person(), anAddress()];
    expect((await api.get(path, user)).body).toEqual(nothing);
    expect((await api.put(path, { address }, user)).body).toMatchObject({
      address: null,
      unconfirmedAddress: address,
    });
    const [mail] = sentTo(address);
    expect(readable(mail!)).toContain(`${publicUrl}/confirm-email#code=`);
    expect(readable(mail!)).toMatch(/^Auto-Submitted: auto-generated$/m);
    const confirmed = await confirm(codeIn(mail));
    expect(confirmed.body).toEqual({ address });
    expect((await api.get(path, user)).body).toEqual({
      ...nothing,
      address,
      confirmedAt: expect.any(String),
    });
    expect((await api.get(path)).body).toEqual(nothing);
  });

  it("stays in use until another one is confirmed", async () => {
    const [user, first, second] = [await person(), anAddress(), anAddress()];
    await api.put(path, { address: first }, user);
    await confirm(codeIn(sentTo(first)[0]));
    await api.put(path, { address: second }, user);
    expect((await api.get(path, user)).body).toMatchObject({ address: first, unconfirmedAddress: second });
    await confirm(codeIn(sentTo(second)[0]));
    expect((await api.get(path, user)).body).toMatchObject({ address: second, unconfirmedAddress: null });
    expect(sentTo(first).length).toBe(1);
  });

  it("is removed with its links", async () => {
    const [user, address, other] = [await person(), anAddress(), anAddress()];
    await api.put(path, { address }, user);
    await confirm(codeIn(sentTo(address)[0]));
    await api.put(path, { address: other }, user);
    expect((await api.delete(path, user)).body).toEqual(nothing);
    expect(outcomeOf(await confirm(codeIn(sentTo(other)[0])))).toBe("401 email_confirmation_not_valid");
    expect((await api.get(path, user)).body).toEqual(nothing);
  });

  it.each([
    ["no address", "ada"],
    ["two addresses", "ada@example.org, eve@example.org"],
    ["a header field", "ada@example.org\r\nBcc: eve@example.org"],
    ["too long", `${"a".repeat(250)}@example.org`],
  ])("is refused with its field: %s", async (_, address) => {
    const before = mails.received.length;
    const answer = await api.put(path, { address }, await person());
    expect(outcomeOf(answer)).toBe("400 validation_error");
    expect(answer.body.details[0].path).toEqual(["address"]);
    expect(mails.received.length).toBe(before);
  });

  it("is not remembered where the mail server refuses it", async () => {
    const [user, address] = [await person(), anAddress()];
    for (const code of [550, 451]) {
      refusesWith = code;
      expect(outcomeOf(await api.put(path, { address }, user))).toBe("502 email_not_sent");
    }
    expect((await api.get(path, user)).body).toEqual(nothing);
  });

  it("is changed after a verification by those who have a passkey", async () => {
    const { token } = await person();
    const { url } = await api.make("/api/session/links", undefined, { token });
    const link = await api.post("/api/session/code", { code: url.split("#code=")[1] }, { token: null });
    const cookie = link.headers.get("set-cookie")!.split(";")[0]!;
    const browser = { token: null, headers: { cookie, "x-csrf-token": link.body.csrfToken } };
    const { flow, options } = (await api.post("/api/passkeys/options", undefined, browser)).body;
    const response = authenticator(publicUrl).create(options);
    expect(outcomeOf(await api.post("/api/passkeys", { name: "Phone", flow, response }, browser))).toBe(
      "201",
    );
    const address = anAddress();
    expect(outcomeOf(await api.put(path, { address }, browser))).toBe("403 verification_required");
    expect(outcomeOf(await api.delete(path, browser))).toBe("403 verification_required");
    expect(sentTo(address)).toEqual([]);
  });
});

describe("The link that confirms an address", () => {
  it("works once", async () => {
    const [user, address] = [await person(), anAddress()];
    await api.put(path, { address }, user);
    const code = codeIn(sentTo(address)[0]);
    const answers = await Promise.all([confirm(code), confirm(code), confirm(code)]);
    expect(answers.map(outcomeOf).sort()).toEqual([
      "200",
      "401 email_confirmation_not_valid",
      "401 email_confirmation_not_valid",
    ]);
  });

  it("expires after an hour, and is replaced by the next one", async () => {
    const [user, address] = [await person(), anAddress()];
    await api.put(path, { address }, user);
    await api.put(path, { address }, user);
    const [first, second] = sentTo(address).map(codeIn);
    expect(outcomeOf(await confirm(first!))).toBe("401 email_confirmation_not_valid");
    expect(outcomeOf(await later(61, () => confirm(second!)))).toBe("401 email_confirmation_not_valid");
    expect(outcomeOf(await later(59, () => confirm(second!)))).toBe("200");
  });

  it("of a disabled person is refused", async () => {
    const [user, address] = [await person(), anAddress()];
    await api.put(path, { address }, user);
    await api.patch(`/api/board-users/${user.id}`, { disabled: true });
    expect(outcomeOf(await confirm(codeIn(sentTo(address)[0])))).toBe("401 email_confirmation_not_valid");
  });

  it("is sent a few times a day, to one address and by one person", async () => {
    const address = anAddress();
    const one = await person();
    for (let n = 0; n < mostConfirmations.ofAddress; n++)
      expect(outcomeOf(await api.put(path, { address }, n % 2 === 0 ? one : await person()))).toBe("200");
    const refused = await api.put(path, { address: address.toUpperCase() }, await person());
    expect(outcomeOf(refused)).toBe("429 too_many_confirmations");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(86_000);
    expect(sentTo(address).length).toBe(mostConfirmations.ofAddress);
    const user = await person();
    for (let n = 0; n < mostConfirmations.ofPerson; n++)
      expect(outcomeOf(await api.put(path, { address: anAddress() }, user))).toBe("200");
    expect(outcomeOf(await api.put(path, { address: anAddress() }, user))).toBe("429 too_many_confirmations");
    await later(24 * 60 + 1, async () =>
      expect(outcomeOf(await api.put(path, { address }, one))).toBe("200"),
    );
  });

  it("cannot be guessed without limit", async () => {
    const proxied = await startApi({
      env: { SERVICE_PUBLIC_URL: publicUrl, SERVICE_BEHIND_PROXY: "true" },
    });
    try {
      const guess = () =>
        proxied.post(
          `${path}/confirm`,
          { code: randomBytes(32).toString("base64url") },
          { token: null, headers: { "x-forwarded-for": "203.0.113.9" } },
        );
      for (let n = 0; n < mostGuesses; n++)
        expect(outcomeOf(await guess())).toBe("401 email_confirmation_not_valid");
      expect(outcomeOf(await guess())).toBe("429 too_many_guesses");
    } finally {
      await proxied.stop();
    }
  });
});

describe("Without a mail server", () => {
  it("no address can be set", async () => {
    const silent = await startApi();
    try {
      expect((await silent.get(path)).body).toEqual({ ...nothing, available: false });
      const answer = await silent.put(path, { address: anAddress() });
      expect(outcomeOf(answer)).toBe("409 email_unavailable");
    } finally {
      await silent.stop();
    }
  });
});
