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
