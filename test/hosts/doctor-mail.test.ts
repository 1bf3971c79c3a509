import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkMail } from "../../hosts/cli/doctor/check-mail.ts";
import { startMailServer } from "../support/mail-server.ts";

const folder = await mkdtemp(join(tmpdir(), "doctor-mail-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const SERVICE_SMTP_FROM = "boardroom@example.org";

test("the doctor signs in to the mail server, and says why it can't without the password", async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) =>
      password === "right" ? done(null, { user: "b" }) : done(new Error(`Wrong: ${password}`)),
  });
  const check = async (password: string) => {
    const SERVICE_SMTP_URL_FILE = join(folder, password);
    await writeFile(SERVICE_SMTP_URL_FILE, `smtp://b:${password}@127.0.0.1:${server.port}\n`);
    return checkMail({ SERVICE_SMTP_URL_FILE, SERVICE_SMTP_FROM });
  };
  const name = `127.0.0.1:${server.port}`;
  expect(await check("right")).toEqual([
    { level: "ok", check: "email", message: `${name} answers, sender boardroom@example.org` },
  ]);
  const refused = await check("guessed");
  expect(refused).toMatchObject([{ level: "fail", message: expect.stringContaining(name) }]);
  expect(JSON.stringify(refused)).not.toContain("guessed");
  expect(server.received).toEqual([]);
  await server.stop();
  expect(await check("right")).toMatchObject([{ level: "fail", message: /ECONNREFUSED/ }]);
});

test("the doctor names a wrong setting of email, and is silent about email where none is set", async () => {
  expect(await checkMail({ SERVICE_SMTP_FROM })).toMatchObject([
    { level: "fail", message: "SERVICE_SMTP_URL: is required with SERVICE_SMTP_FROM" },
  ]);
  expect(await checkMail({})).toEqual([]);
});
