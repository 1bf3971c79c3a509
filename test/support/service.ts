import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../hosts/composition/config.ts";
import { openLog } from "../../hosts/composition/log.ts";
import { start } from "../../hosts/http/main.ts";
import type { Client } from "../../hosts/library/client.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";
import { createDatabase } from "./database.ts";
import { shareWorkspaces } from "./share-workspaces.ts";

export { eventually } from "./eventually.ts";

/** A whole service for one test: real database, real socket, real child processes. */
export interface TestService {
  readonly url: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** Token of the first board user, an instance admin. */
  readonly token: string;
  readonly admin: Client;
  as(token: string): Client;
  /** Sends a request without the client. */
  request(method: string, path: string, options?: RawRequest): Promise<RawAnswer>;
  stop(): Promise<void>;
}

export interface RawRequest {
  /** Default: the admin's; null sends none. */
  readonly token?: string | null;
  /** JSON, or a form to be uploaded. */
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

/** "200", or "409 agent_paused": the status, with the code of a refusal. */
export const outcomeOf = ({ status, body }: Pick<RawAnswer, "status" | "body">): string =>
  status < 300 || body?.code === undefined ? `${status}` : `${status} ${body.code}`;

export interface TestServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Shares the database and the workspaces with another service of the test. */
  readonly sharedWith?: Pick<TestService, "databaseUrl" | "dataDir">;
  readonly role?: "api" | "worker" | "all";
  /** The folder in which that of its data is made; absent: that of temporary files. */
  readonly below?: string;
  /** Receives the lines of its log; absent: standard error. */
  readonly onLog?: (line: string) => void;
  /** The operator's templates of runners, by name. */
  readonly templates?: Readonly<Record<string, string>>;
}

export const startService = async (options: TestServiceOptions = {}): Promise<TestService> => {
  const database = options.sharedWith === undefined ? await createDatabase() : null;
  const databaseUrl = database?.url ?? options.sharedWith!.databaseUrl;
  const dataDir = await mkdtemp(join(options.below ?? tmpdir(), "boardroom-test-"));
  if (options.sharedWith !== undefined) await shareWorkspaces(dataDir, options.sharedWith.dataDir);
  await mkdir(join(dataDir, "runners"), { recursive: true });
  for (const [name, text] of Object.entries(options.templates ?? {}))
    await writeFile(join(dataDir, "runners", `${name}.yaml`), text);
  const key = "00".repeat(32);
  const config = readConfig(
    {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      SERVICE_DATA_DIR: dataDir,
      SERVICE_SECRETS_MASTER_KEY: key,
      SERVICE_LOG_LEVEL: "error",
      SERVICE_DATABASE_POOL: "10",
      SERVICE_SANDBOX: process.env.SERVICE_SANDBOX,
      SERVICE_RATE_PER_CALLER: "0",
      SERVICE_RATE_PER_COMPANY: "0",
      SERVICE_MAX_WAIT_MS: "0",
      DATABASE_URL: databaseUrl,
      ...options.env,
    },
    options.role,
  );
  const { onLog } = options;
  const log = openLog(config.logLevel, ...(onLog === undefined ? [] : [{ write: onLog }]));
  const running = await start(config, log);
  const url = running.url ?? "";
  const token = (await readFile(running.boardroom.boardTokenPath, "utf8")).trim();
  const as = (bearer: string) => openClient(httpTransport({ baseUrl: url, token: bearer }));
  return {
    url,
    dataDir,
    databaseUrl,
    token,
    admin: as(token),
    as,
    request: (method, path, raw = {}) => request(url, method, path, { token, ...raw }),
    stop: async () => {
      await running.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

const request = async (url: string, method: string, path: string, raw: RawRequest): Promise<RawAnswer> => {
  const form = raw.body instanceof FormData ? raw.body : undefined;
  const text =
    raw.text ?? (raw.body === undefined || form !== undefined ? undefined : JSON.stringify(raw.body));
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(raw.token == null ? {} : { authorization: `Bearer ${raw.token}` }),
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...raw.headers,
    },
    ...(text === undefined ? {} : { body: text }),
    ...(form === undefined ? {} : { body: form }),
  });
  const answer = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer };
};
