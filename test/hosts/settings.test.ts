import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../hosts/composition/config.ts";
import { SettingInvalid } from "../../hosts/composition/setting-invalid.ts";
import { settings } from "../../hosts/composition/settings.ts";
import { root } from "../support/imports.ts";

/** The rows `| NAME | default | …` of the page, as far as the default is one word or a number with its unit. */
const documented = [
  ...(await readFile(join(root, "docs/configuration.md"), "utf8")).matchAll(
    /^\| `(\w+)` \| (\d+(?: MiB)?|[a-z0-9_-]+) \|/gm,
  ),
].map(([, name = "", value = ""]) => [name, value] as const);

test.each(documented.filter(([name]) => name in settings.shape))(
  "the documented default of %s, %s, is the one that holds",
  (name, value) => {
    const mebibytes = /^(\d+) MiB$/.exec(value)?.[1];
    const usual = settings.parse({})[name as keyof typeof settings.shape];
    expect(String(usual)).toBe(mebibytes === undefined ? value : `${Number(mebibytes) * 1024 ** 2}`);
  },
);

test("agents wait five minutes for a host, so that a restart of the machine fits in", () => {
  expect(settings.parse({}).SERVICE_HOST_TERM_SEC).toBe(300);
});

test.each([
  ["PORT", "seventy"],
  ["PORT", "70000"],
  ["SERVICE_DATABASE_POOL", "0"],
  ["SERVICE_DATABASE_DURABLE", "perhaps"],
  ["SERVICE_PUBLIC_URL", "ftp://somewhere"],
  ["SERVICE_METRICS_TOKEN", "short"],
  ["SERVICE_AGENT_UID", "root"],
  ["SERVICE_AGENT_UID", "0"],
  ["SERVICE_AGENT_UID", "60999-60000"],
  ["SERVICE_MAX_RUNS", "-1"],
  ["SERVICE_LOG_LEVEL", "loud"],
])("%s=%s is refused, by its name", (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(SettingInvalid);
  expect(read).toThrow(new RegExp(`^${name}\\b`));
  if (name.endsWith("TOKEN")) expect(read).not.toThrow(value);
});

test.each([
  [{}, 512],
  [{ SERVICE_PUBLIC_URL: "http://boardroom.example.org" }, 512],
  [{ SERVICE_PUBLIC_URL: "https://boardroom.example.org" }, null],
  [{ SERVICE_PUBLIC_URL: "https://boardroom.example.org", SERVICE_MAX_CONNECTIONS_PER_ADDRESS: "20" }, 20],
  [{ SERVICE_MAX_CONNECTIONS_PER_ADDRESS: "0" }, null],
])("connections of one address are limited, unless they come through a proxy: %j", (set, most) => {
  expect(readConfig(set).maxConnectionsPerAddress).toBe(most);
});

const provider = {
  SERVICE_OIDC_ISSUER: "https://id.example",
  SERVICE_OIDC_CLIENT_ID: "boardroom",
  SERVICE_OIDC_CLIENT_SECRET: "a secret",
};

test("sign-in providers are read with their roles, and further ones by their names", () => {
  const { signInProviders } = readConfig({
    ...provider,
    SERVICE_OIDC_ROLES: "ops=HAR:operator, cn=leads=*:owner",
    SERVICE_OIDC_ACME_ISSUER: "http://127.0.0.1:4000/realms/acme",
    SERVICE_OIDC_ACME_CLIENT_ID: "b",
    SERVICE_OIDC_ACME_CLIENT_SECRET: "c",
    SERVICE_OIDC_ACME_GROUPS_CLAIM: "roles",
  });
  expect(signInProviders).toMatchObject([
    {
      id: "default",
      name: "id.example",
      groupsClaim: "groups",
      roles: [
        { group: "ops", issuePrefix: "HAR", role: "operator" },
        { group: "cn=leads", issuePrefix: null, role: "owner" },
      ],
    },
    { id: "acme", name: "Acme", groupsClaim: "roles", roles: [] },
  ]);
  expect(readConfig({}).signInProviders).toEqual([]);
});

test.each([
  ["SERVICE_OIDC_ISSUER", { SERVICE_OIDC_ISSUER: "http://id.example" }],
  ["SERVICE_OIDC_ISSUER", { SERVICE_OIDC_ISSUER: "http://localhost.evil.example" }],
  ["SERVICE_OIDC_CLIENT_SECRET", { SERVICE_OIDC_CLIENT_SECRET: "" }],
  ["SERVICE_OIDC_ROLES", { SERVICE_OIDC_ROLES: "ops=HAR:admin" }],
  ["SERVICE_OIDC_ROLES", { SERVICE_OIDC_ROLES: "ops" }],
  ["SERVICE_OIDC_ISUER", { SERVICE_OIDC_ISUER: "https://id.example" }],
  ["SERVICE_OIDC_ACME_CLIENT_ID", { SERVICE_OIDC_ACME_ISSUER: "https://id.example" }],
])("a sign-in provider with the wrong %s is refused, without its secret", (name, wrong) => {
  const read = () => readConfig({ ...provider, ...wrong });
  expect(read).toThrow(new RegExp(`^${name}\\b`));
  expect(read).not.toThrow("a secret");
});

const sender = "Boardroom <boardroom@example.org>";

test.each([
  ["smtps://b:p%40ss@mail.example.org", "mail.example.org", 465, "tls"],
  ["smtp://b:p%40ss@mail.example.org", "mail.example.org", 587, "starttls"],
  ["smtp://b:p%40ss@mail.example.org:2525/", "mail.example.org", 2525, "starttls"],
  ["smtp://b:p%40ss@localhost.example.org", "localhost.example.org", 587, "starttls"],
  ["smtp://b:p%40ss@127.1", "127.1", 587, "starttls"],
  ["smtp://b:p%40ss@LOCALHOST:25", "LOCALHOST", 25, "none"],
  ["smtp://b:p%40ss@127.0.0.1:25", "127.0.0.1", 25, "none"],
  ["smtp://b:p%40ss@[::1]:25", "::1", 25, "none"],
  ["smtps://b:p%40ss@localhost", "localhost", 465, "tls"],
])("email by %s goes to %s:%i with %s", (url, host, port, security) => {
  const { mail, publicSettings } = readConfig({ SERVICE_SMTP_URL: url, SERVICE_SMTP_FROM: sender });
  expect(mail).toEqual({ host, port, security, credentials: { user: "b", password: "p@ss" }, from: sender });
  expect(publicSettings).toEqual({ SERVICE_SMTP_FROM: sender });
});

test.each([
  ["SERVICE_SMTP_FROM", { SERVICE_SMTP_FROM: "" }],
  ["SERVICE_SMTP_FROM", { SERVICE_SMTP_FROM: "Boardroom" }],
  ["SERVICE_SMTP_FROM", { SERVICE_SMTP_FROM: "a@example.org, b@example.org" }],
  ["SERVICE_SMTP_FROM", { SERVICE_SMTP_FROM: "Board\r\nroom <a@example.org>" }],
  ["SERVICE_SMTP_URL", { SERVICE_SMTP_URL: "" }],
  ["SERVICE_SMTP_URL", { SERVICE_SMTP_URL: "https://b:secret@mail.example.org" }],
  ["SERVICE_SMTP_URL", { SERVICE_SMTP_URL: "b:secret@mail.example.org" }],
  ["SERVICE_SMTP_URL", { SERVICE_SMTP_URL: "smtp://b:secret@mail.example.org/x" }],
  ["SERVICE_SMTP_URL", { SERVICE_SMTP_URL: "smtp://b:secret@mail.example.org?ignoreTLS=true" }],
  [
    "SERVICE_SMTP_URL",
    { SERVICE_SMTP_URL: "smtps://b:secret@mail.example.org?tls.rejectUnauthorized=false" },
  ],
  ["SERVICE_SMTP_URL", { SERVICE_SMTP_URL: "smtps://b@mail.example.org" }],
  ["SERVICE_SMTP_URL", { SERVICE_SMTP_URL: "smtps://b:secret%@mail.example.org" }],
])("a wrong %s is refused, without its password", (name, wrong) => {
  const read = () =>
    readConfig({
      SERVICE_SMTP_URL: "smtps://b:secret@mail.example.org",
      SERVICE_SMTP_FROM: sender,
      ...wrong,
    });
  expect(read).toThrow(SettingInvalid);
  expect(read).toThrow(new RegExp(`^${name}\\b`));
  expect(read).not.toThrow("b:secret");
});
