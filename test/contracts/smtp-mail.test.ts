import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import * as Effect from "effect/Effect";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, expect, test } from "vitest";
import { type SmtpOptions, type SmtpSettings, smtpMail } from "../../adapters-infra/mail/smtp-mail.ts";
import type { MailMessage } from "../../ports/mail.ts";
import { type MailServer, mailCertificate, startMailServer } from "../support/mail-server.ts";

const certificate = mailCertificate();
const password = "a password of the mail server";
const signIn: SMTPServerOptions["onAuth"] = ({ username, password: given }, _, done) =>
  given === password ? done(null, { user: username }) : done(new Error(`Wrong: ${given}`));

const servers: MailServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
const started = async (options: SMTPServerOptions = {}) => {
  const server = await startMailServer(options);
  servers.push(server);
  return server;
};

const settingsFor = (port: number, changed: Partial<SmtpSettings> = {}): SmtpSettings => ({
  host: "127.0.0.1",
  port,
  security: "none",
  credentials: null,
  from: "Boardroom <boardroom@example.org>",
  ...changed,
});

const message: MailMessage = {
  to: "ada@example.org",
  subject: "HAR-1 waits for you – Größe",
  text: "The text.",
  html: "<p>The text.</p>",
  messageId: "<0190.notice@boardroom.example>",
  headers: { References: "<issue@boardroom.example>" },
};

const send = (
  port: number,
  changed: Partial<SmtpSettings> = {},
  options: SmtpOptions = {},
  given = message,
) => Effect.runPromise(smtpMail(settingsFor(port, changed), options).send(given));
const trusted = { authority: certificate.cert };

test("a message arrives with its id, its header fields and both of its forms", async () => {
  const server = await started();
  expect(await send(server.port)).toEqual({ status: "sent" });
  const [mail] = server.received;
  expect(mail!.to).toEqual(["ada@example.org"]);
  expect(mail!.text).toMatch(/^Message-ID: <0190\.notice@boardroom\.example>\r$/m);
  expect(mail!.text).toMatch(/^References: <issue@boardroom\.example>\r$/m);
  expect(mail!.text).toMatch(/^From: Boardroom <boardroom@example\.org>\r$/m);
  expect(mail!.text).toMatch(/^Content-Type: text\/plain/m);
  expect(mail!.text).toMatch(/^Content-Type: text\/html/m);
});

test.each(["tls", "starttls"] as const)("%s encrypts the password and the message", async (security) => {
  const server = await started({
    ...certificate,
    secure: security === "tls",
    authOptional: false,
    onAuth: signIn,
  });
  const credentials = { user: "boardroom", password };
  expect(await send(server.port, { security, credentials }, trusted)).toEqual({ status: "sent" });
  expect(server.received).toMatchObject([{ secure: true, user: "boardroom" }]);
});

test.each(["tls", "starttls"] as const)(
  "a certificate that nobody vouches for is refused by %s",
  async (security) => {
    const server = await started({ ...certificate, secure: security === "tls" });
    expect(await send(server.port, { security })).toMatchObject({ status: "failed", reason: /certificate/ });
    expect(server.received).toEqual([]);
  },
);

test("a certificate of another host is refused", async () => {
  const server = await started({ ...certificate, secure: true });
  const result = await send(server.port, { security: "tls", host: "127.0.0.2" }, trusted);
  expect(result.status).toBe("failed");
  expect(server.received).toEqual([]);
});

test("a server without STARTTLS gets neither the password nor the message", async () => {
  let signIns = 0;
  const server = await started({
    allowInsecureAuth: true,
    onAuth: (_, __, done) => {
      signIns += 1;
      done(null, { user: "boardroom" });
    },
  });
  const credentials = { user: "boardroom", password };
  const result = await send(server.port, { security: "starttls", credentials }, trusted);
  expect(result).toMatchObject({ status: "failed" });
  expect([signIns, server.received]).toEqual([0, []]);
});

test("a wrong password is a failure that another attempt may mend, and isn't repeated in the reason", async () => {
  const server = await started({ ...certificate, authOptional: false, onAuth: signIn });
  const credentials = { user: "boardroom", password: "a wrong password" };
  const mail = smtpMail(settingsFor(server.port, { security: "starttls", credentials }), trusted);
  const result = await Effect.runPromise(mail.send(message));
  expect(result.status).toBe("failed");
  expect(JSON.stringify(result)).not.toContain("a wrong password");
  expect(await Effect.runPromise(mail.check())).toMatch(/••••/);
});

test.each([
  [550, "refused"],
  [451, "failed"],
] as const)("%i for the recipient means %s", async (responseCode, status) => {
  const server = await started({
    onRcptTo: (_, __, done) => done(Object.assign(new Error("No such mailbox"), { responseCode })),
  });
  expect(await send(server.port)).toMatchObject({ status, reason: /No such mailbox/ });
});

test("an outage is a failure, and the next attempt succeeds once the server is back", async () => {
  const server = await started();
  await server.stop();
  servers.splice(0);
  expect(await send(server.port)).toMatchObject({ status: "failed", reason: /ECONNREFUSED/ });
  servers.push(await startMailServer({}, server.port));
  expect(await send(server.port)).toEqual({ status: "sent" });
});

test("a server that never answers ends the attempt and its connection", async () => {
  const silent = createServer();
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const closed = once(silent, "connection").then(([socket]) => once(socket.resume(), "close"));
  expect(await send(port, {}, { timeoutMs: 300 })).toMatchObject({ status: "failed" });
  await closed;
  silent.close();
});

test("an address is one recipient, and header fields have no line breaks", async () => {
  const server = await started();
  await send(server.port, {}, {}, { ...message, to: "ada@example.org, eve@example.org" });
  await send(server.port, {}, {}, { ...message, to: "ada@example.org\r\nBcc: eve@example.org" });
  await send(server.port, {}, {}, { ...message, subject: "One\r\nBcc: eve@example.org" });
  expect(server.received.flatMap(({ to }) => to)).not.toContain("eve@example.org");
  expect(server.received.map(({ text }) => text).join("")).not.toMatch(/^Bcc:/m);
});

test("a check signs in and sends nothing", async () => {
  const server = await started({ ...certificate, authOptional: false, onAuth: signIn });
  const credentials = { user: "boardroom", password };
  const mail = smtpMail(settingsFor(server.port, { security: "starttls", credentials }), trusted);
  expect(await Effect.runPromise(mail.check())).toBeNull();
  expect(server.received).toEqual([]);
});
