import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../library/client.ts";
import { BoardroomError, ServiceUnreachable } from "../../library/client-error.ts";
import { connect, dataDirOf, findService, localToken, runningService } from "../connection/connect.ts";
import type { CommonOptions } from "../connection/session.ts";
import { CommandFailed } from "../failure.ts";
import { print } from "../print/print.ts";
import type { Terminal } from "../terminal.ts";
import { watchRun } from "./watch-run.ts";

/** How long the agent's first run may take to appear. */
const patienceMs = 30_000;

/** Plays the demo on the running service, or on one that it starts. */
export const playDemo = async (options: CommonOptions, terminal: Terminal): Promise<void> => {
  const stage = (await running(options, terminal)) ?? (await scratch(terminal));
  try {
    await play(stage, terminal, options.json === true);
  } finally {
    await stage.close();
  }
};

/** The service that the demo uses. */
interface Stage {
  readonly client: Client;
  readonly url: string;
  readonly isScratch: boolean;
  close(): Promise<void>;
}

/** Finds the service that flags name or that runs on this machine; null if none runs. */
const running = async (options: CommonOptions, { env }: Terminal): Promise<Stage | null> => {
  const named = options.url !== undefined || Boolean(env.SERVICE_API_URL);
  if (!named && (await runningService(dataDirOf(env))) === null) return null;
  const connection = await findService(options, env);
  const client = connect(connection);
  try {
    await client.system.health();
  } catch (error) {
    // A killed service leaves its file behind.
    if (named || !(error instanceof ServiceUnreachable)) throw error;
    return null;
  }
  return { client, url: connection.baseUrl, isScratch: false, close: async () => {} };
};

/** Starts a service for the demo in this process. */
const scratch = async ({ err, env, colors }: Terminal): Promise<Stage> => {
  err(colors.dim("No service running. Starting one in a scratch directory…\n"));
  const directory = await mkdtemp(join(env.TMPDIR || tmpdir(), "boardroom-demo-"));
  const [{ start }, { readConfig }, { openLog }] = await Promise.all([
    import("../../http/main.ts"),
    import("../../composition/config.ts"),
    import("../../composition/log.ts"),
  ]);
  const config = readConfig({
    ...env,
    SERVICE_DATA_DIR: join(directory, "data"),
    DATABASE_URL: undefined,
    // The demo deletes all its data.
    SERVICE_DATABASE_DURABLE: "false",
    SERVICE_SECRETS_MASTER_KEY: undefined,
    SERVICE_PUBLIC_URL: undefined,
    HOST: "127.0.0.1",
    PORT: "0",
  });
  const remove = () => rm(directory, { recursive: true, force: true });
  const service = await start(config, openLog("silent")).catch(async (error: Error) => {
    await remove();
    throw new CommandFailed(`The demo's own service cannot start: ${error.message}`, "start_failed");
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= service.stop().then(remove);
    return closing;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void close().finally(() => process.exit(1)));
  const url = service.url ?? "";
  const token = await localToken(join(directory, "data"));
  const { openClient } = await import("../../library/open-client.ts");
  const { httpTransport } = await import("../../library/http-transport.ts");
  return { client: openClient(httpTransport({ baseUrl: url, token })), url, isScratch: true, close };
};

/** The program of the demo's agent. It uses only the service's interface. */
const agentProgram = `
const { SERVICE_API_URL: url, SERVICE_API_KEY: key, SERVICE_AGENT_ID: agentId, SERVICE_TASK_ID: task } = process.env;
const call = async (method, path, body) => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: "Bearer " + key, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(method + " " + path + ": " + answer.error);
  return answer;
};
const issue = await call("GET", "/api/issues/" + task);
console.log("My task is " + issue.identifier + ": " + issue.title);
await call("POST", "/api/issues/" + task + "/checkout", { agentId, expectedStatuses: ["todo", "backlog"] });
console.log("I have checked it out; no one else can work on it now.");
const words = issue.description.split(/\\s+/).filter(Boolean);
console.log("Counting the words of the description …");
await new Promise((done) => setTimeout(done, 1000));
await call("PATCH", "/api/issues/" + task, {
  status: "done",
  comment: "The description has " + words.length + " words; the longest is *" + words.sort((a, b) => b.length - a.length)[0] + "*.",
});
console.log("Done, with a comment that says what I found.");
`;

const play = async ({ client, url, isScratch }: Stage, terminal: Terminal, json: boolean): Promise<void> => {
  const { colors } = terminal;
  // With --json the report goes to standard error, and the answer to standard output.
  const audience = json ? { ...terminal, out: terminal.err } : terminal;
  const step = (text: string) => audience.out(`${colors.cyan("▸")} ${text}\n`);
  step(`Service at ${url}`);
  const company = await found(client);
  step(`Company ${colors.bold(company.name)} (${company.issuePrefix})`);
  const agent = await client.agents.create({
    companyId: company.id,
    name: "Counter",
    role: "researcher",
    adapterType: "process",
    // A service on another machine has its own Node; a local one uses this Node.
    adapterConfig: {
      command: isScratch ? process.execPath : "node",
      args: ["--input-type=module", "-e", agentProgram],
      timeoutSec: 60,
    },
  });
  step(`Agent ${colors.bold(agent.name)}, which runs a small program (adapter ${agent.adapterType})`);
  const issue = await client.issues.create({
    companyId: company.id,
    title: "Count the words of this description",
    description: "How many words does this sentence have, and which is the longest?",
    priority: "high",
    assigneeAgentId: agent.id,
  });
  step(`Issue ${colors.bold(issue.identifier)}, assigned to ${agent.name}: that wakes it\n`);
  const runId = await firstRun(client, issue.id);
  const run = await watchRun(client, runId, audience, false);
  if (run.status !== "succeeded")
    throw new CommandFailed(`The demo's run failed. See \`boardroom runs get ${runId}\`.`, "demo_failed");
  const [finished, comments] = await Promise.all([
    client.issues.get({ issueId: issue.id }),
    client.issues.comments({ issueId: issue.id, order: "asc" }),
  ]);
  if (json) {
    terminal.out(`${JSON.stringify({ company, agent, issue: finished, comments: comments.items, run })}\n`);
    return;
  }
  const names = new Map([[agent.id, agent.name]]);
  const shown = { identifier: finished.identifier, title: finished.title, status: finished.status };
  terminal.out(
    `\n${colors.bold(`${shown.identifier}  ${shown.title}`)}  ${colors.green(shown.status)}\n\n${print({ isList: true, shape: "NamedCommentShape" }, comments.items, { ...terminal, names })}`,
  );
  terminal.out(`\n${next(isScratch, company, issue.identifier, runId)}`);
};

const found = async (client: Client) => {
  try {
    return await client.companies.create({ name: "Demo", description: "Made by `boardroom demo`." });
  } catch (error) {
    if (error instanceof BoardroomError && (error.status === 401 || error.status === 403))
      throw new CommandFailed(
        `The demo creates a company, which needs an instance admin's token: ${error.message}`,
        error.code,
      );
    throw error;
  }
};

const firstRun = async (client: Client, issueId: string): Promise<string> => {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 200) {
    const { items } = await client.runs.ofIssue({ issueId });
    if (items[0] !== undefined) return items[0].id;
    await sleep(200);
  }
  throw new CommandFailed(
    "The agent didn't start within 30 s. Run `boardroom doctor` to check the installation.",
    "demo_failed",
  );
};

const next = (
  isScratch: boolean,
  company: { id: string; issuePrefix: string },
  identifier: string,
  runId: string,
): string =>
  isScratch
    ? [
        "The service and its data have been deleted. To keep one:",
        "  boardroom serve                           run the service, then in another terminal:",
        "  boardroom demo                            the same, with data that stays",
        "  boardroom companies create --name Acme    or create your own",
        "",
      ].join("\n")
    : [
        "Look closer:",
        `  boardroom issues get ${identifier}`,
        `  boardroom runs get ${runId}`,
        `  boardroom activity list -C ${company.issuePrefix}`,
        `  boardroom companies archive ${company.id}    archives the demo`,
        "",
      ].join("\n");
