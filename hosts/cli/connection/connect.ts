import { access, constants, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { clause } from "../../../core/model/shared/sentence.ts";
import { defaultDataDir } from "../../composition/data-dir.ts";
import { readSecret } from "../../composition/secret-setting.ts";
import { SettingInvalid } from "../../composition/setting-invalid.ts";
import type { Client } from "../../library/client.ts";
import { openClient } from "../../library/open-client.ts";
import { CommandFailed, UsageError } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { jsonTransport } from "./json-transport.ts";

export interface ConnectOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/** The address and the credential of a command's calls. */
export interface Connection {
  readonly baseUrl: string;
  /** null: calls are anonymous. */
  readonly token: string | null;
  readonly tokenFrom: "flag" | "environment" | "data directory" | null;
  /** The run in which an agent makes its calls. */
  readonly runId: string | undefined;
}

export const dataDirOf = (env: Terminal["env"]): string => resolve(env.SERVICE_DATA_DIR || defaultDataDir());

/** Reads the file of the service that runs on the directory; null if none runs or the file is unreadable. */
export const runningService = async (dataDir: string): Promise<{ url: string; pid: number } | null> => {
  try {
    const { url, pid } = JSON.parse(await readFile(join(dataDir, "service.json"), "utf8")) as Record<
      string,
      unknown
    >;
    return typeof url === "string" && typeof pid === "number" ? { url, pid } : null;
  } catch {
    return null;
  }
};

export const localToken = async (dataDir: string): Promise<string | null> => {
  const text = await readFile(join(dataDir, "board-token"), "utf8").catch(() => "");
  return text.trim() || null;
};

/**
 * Finds the service by flags, then by the environment, then by the local data directory. The local token goes only to
 * the local service, never to an address from a flag or variable.
 */
export const findService = async (options: ConnectOptions, env: Terminal["env"]): Promise<Connection> => {
  const dataDir = dataDirOf(env);
  const local = await runningService(dataDir);
  const baseUrl = options.url ?? (env.SERVICE_API_URL || undefined) ?? local?.url;
  if (baseUrl === undefined && (await isClosed(join(dataDir, "service.json"))))
    throw new CommandFailed(
      `${dataDir} belongs to another user. Run as that user, or use --url and --token.`,
      "no_service",
    );
  if (baseUrl === undefined)
    throw new CommandFailed(
      `No service is running on ${dataDir}. Start one with \`boardroom serve\`, try \`boardroom demo\`, or set --url or SERVICE_API_URL.`,
      "no_service",
    );
  if (!/^https?:\/\//.test(baseUrl))
    throw new CommandFailed(
      `"${baseUrl}" isn't a service URL. Use a URL such as http://127.0.0.1:3100.`,
      "no_service",
    );
  if (options.token !== undefined)
    return { baseUrl, token: checkToken(options.token, "--token"), tokenFrom: "flag", runId: undefined };
  const fromEnvironment = apiKeyOf(env);
  if (fromEnvironment !== null)
    return {
      baseUrl,
      token: fromEnvironment,
      tokenFrom: "environment",
      runId: env.SERVICE_RUN_ID || undefined,
    };
  const token = local !== null && sameAddress(local.url, baseUrl) ? await localToken(dataDir) : null;
  return { baseUrl, token, tokenFrom: token === null ? null : "data directory", runId: undefined };
};

const apiKeyOf = (env: Terminal["env"]): string | null => {
  try {
    const key = readSecret(env, "SERVICE_API_KEY");
    return key === undefined ? null : checkToken(key, "SERVICE_API_KEY");
  } catch (error) {
    if (error instanceof SettingInvalid) throw new UsageError(`${clause(error.message)}.`);
    throw error;
  }
};

/** No token has a blank or a line break in it, and none could be sent. */
const checkToken = (text: string, from: string): string => {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    token === ""
      ? `The token in ${from} is empty.`
      : `The token in ${from} contains invalid characters, such as spaces or line breaks.`,
  );
};

const isClosed = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "EACCES",
  );

const sameAddress = (a: string, b: string): boolean => {
  try {
    const [left, right] = [new URL(a), new URL(b)];
    const host = ({ hostname }: URL) => (hostname === "localhost" ? "127.0.0.1" : hostname);
    return left.protocol === right.protocol && host(left) === host(right) && left.port === right.port;
  } catch {
    return false;
  }
};

export const connect = ({ baseUrl, token }: Connection, signal?: AbortSignal): Client => {
  const transport = jsonTransport({ baseUrl, token });
  return openClient(
    signal === undefined
      ? transport
      : (request) => transport({ ...request, signal: request.signal ?? signal }),
  );
};
