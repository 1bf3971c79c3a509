import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findService } from "../../hosts/cli/connection/connect.ts";
import { UsageError } from "../../hosts/cli/failure.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import { SettingInvalid } from "../../hosts/composition/setting-invalid.ts";
import { secretSettings, settings } from "../../hosts/composition/settings.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "boardroom-secret-files-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fileWith = async (text: string): Promise<string> => {
  const path = join(folder, `${Buffer.from(text).toString("hex").slice(0, 40)}.txt`);
  await writeFile(path, text);
  return path;
};

/** A valid value of each secret setting, where the configuration has it, and the settings that it needs. */
const values: Readonly<
  Record<string, readonly [value: string, read: (config: Config) => unknown, needed?: Record<string, string>]>
> = {
  DATABASE_URL: ["postgres://boardroom:pw@db.example.org/boardroom", ({ databaseUrl }) => databaseUrl],
  SERVICE_SMTP_URL: [
    "smtps://boardroom:pw@mail.example.org",
    ({ mail }) => mail?.host,
    { SERVICE_SMTP_FROM: "boardroom@example.org" },
  ],
  SERVICE_METRICS_TOKEN: ["a-token-of-scrapers", ({ metricsToken }) => metricsToken],
  SERVICE_SECRETS_MASTER_KEY: [Buffer.alloc(32, 1).toString("base64"), ({ masterKey }) => masterKey],
  SERVICE_SECRETS_MASTER_KEY_NEXT: [
    Buffer.alloc(32, 2).toString("base64"),
    ({ nextMasterKey }) => nextMasterKey,
  ],
};
type Config = ReturnType<typeof readConfig>;

it("Each setting whose name says that it is a secret counts as one", () => {
  const named = Object.keys(settings.shape).filter(
    (name) =>
      /(KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|_URL)(_NEXT)?$/.test(name) && !/(PUBLIC|AGENT)_URL$/.test(name),
  );
  expect(named).toEqual(secretSettings);
  expect(Object.keys(values)).toEqual(secretSettings);
});

describe.each(Object.entries(values))("%s", (name, [value, read, needed = {}]) => {
  it("is the same from a variable with blanks around it and from a file", async () => {
    const plain = read(readConfig({ ...needed, [name]: value }));
    expect(plain).toContain(value.slice(-9));
    expect(read(readConfig({ ...needed, [name]: ` ${value}\r\n` }))).toBe(plain);
    expect(read(readConfig({ ...needed, [`${name}_FILE`]: await fileWith(`\n${value}\r\n`) }))).toBe(plain);
    expect(read(readConfig({ ...needed, [name]: "", [`${name}_FILE`]: await fileWith(value) }))).toBe(plain);
  });

  it("is refused by the name of its variable where the file has none", async () => {
    const refused = (path: string, more = {}) => {
      const config = () => readConfig({ ...needed, [`${name}_FILE`]: path, ...more });
      expect(config).toThrow(SettingInvalid);
      expect(config).toThrow(new RegExp(`^${name}_FILE: `));
      expect(config).not.toThrow(value);
    };
    refused(join(folder, "missing"));
    refused(folder);
    refused(await fileWith(" \n"));
    refused(await fileWith("x".repeat(70_000)));
    refused(await fileWith(value), { [name]: value });
  });
});

describe("The token of the command line", () => {
  const found = (token: string | undefined, env: Record<string, string>) =>
    findService({ url: "http://127.0.0.1:3100", token }, { SERVICE_DATA_DIR: folder, ...env });

  it("comes from a flag, a variable or a file, without the blanks around it", async () => {
    expect((await found(" brd_1\n", {})).token).toBe("brd_1");
    expect((await found(undefined, { SERVICE_API_KEY: "brd_2\r\n" })).token).toBe("brd_2");
    const SERVICE_API_KEY_FILE = await fileWith("brd_3\n");
    expect(await found(undefined, { SERVICE_API_KEY_FILE })).toMatchObject({
      token: "brd_3",
      tokenFrom: "environment",
    });
  });

  it.each([
    [undefined, { SERVICE_API_KEY_FILE: "/nowhere/token" }, "SERVICE_API_KEY_FILE"],
    [undefined, { SERVICE_API_KEY: "brd_1", SERVICE_API_KEY_FILE: "/nowhere/token" }, "SERVICE_API_KEY_FILE"],
    [undefined, { SERVICE_API_KEY: "brd_1\nbrd_2" }, "SERVICE_API_KEY"],
    ["", {}, "--token"],
    ["brd_1 brd_2", {}, "--token"],
  ])("is refused as wrong usage: %j %j", async (token, env, name) => {
    const refusal = await found(token, env).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UsageError);
    expect((refusal as Error).message).toContain(name);
    expect((refusal as Error).message).not.toContain("brd_");
  });
});
