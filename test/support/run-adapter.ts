import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { readText } from "../../adapters-infra/plugins/read-text.ts";
import type {
  AgentAdapter,
  ExecuteContext,
  ExecuteResult,
  InvocationMeta,
  LimitWindow,
  MessageAgain,
  ProcessOutcome,
  ProcessSpec,
  RunSkills,
  TestEnvironmentContext,
  Word,
} from "../../ports/agent-adapter.ts";
import { installation } from "./installation.ts";
import { aWorkspace } from "./workspaces.ts";

const runner = childProcessRunner({ installation });

/** Runs an adapter once outside the service: the real runner, without a store. */
export interface AdapterRun {
  readonly adapter: AgentAdapter;
  readonly cwd: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly prompt?: string;
  readonly sessionParams?: Readonly<Record<string, unknown>> | null;
  readonly skills?: RunSkills;
  readonly houseRules?: string;
  readonly mcpServers?: ExecuteContext["mcpServers"];
  readonly signal?: AbortSignal;
  readonly askPermission?: NonNullable<ExecuteContext["askPermission"]>;
  /** Words of people, one after the other. Absent: the adapter hears nobody. */
  readonly messages?: readonly Promise<Word>[];
  readonly messagesAgain?: readonly MessageAgain[];
  /** Replaces the runner. */
  readonly runProcess?: (spec: ProcessSpec) => Promise<ProcessOutcome>;
}

export interface AdapterRunRecord {
  readonly runId: string;
  readonly result: ExecuteResult;
  readonly stdout: string;
  readonly system: string;
  readonly metas: readonly InvocationMeta[];
  readonly specs: readonly ProcessSpec[];
  /** Reports on messages: "taken 3". */
  readonly receipts: readonly string[];
  /** The windows of the account that the program told, each time. */
  readonly windows: readonly LimitWindow[];
}

export const runAdapter = async (run: AdapterRun): Promise<AdapterRunRecord> => {
  const runId = randomUUID();
  const env = environmentOf(run, runId);
  const stdout: Buffer[] = [];
  const system: string[] = [];
  const metas: InvocationMeta[] = [];
  const specs: ProcessSpec[] = [];
  const receipts: string[] = [];
  const windows: LimitWindow[] = [];
  const messages = run.messages?.slice();
  const stop = run.signal ?? new AbortController().signal;
  const supervision = {
    runId,
    workspace: workspaceOf(run),
    env,
    stop,
    onStarted: () => Effect.void,
    onOutput: (stream: string, chunk: Uint8Array) =>
      Effect.sync(() => {
        if (stream === "stdout") stdout.push(Buffer.from(chunk));
        if (stream === "system") system.push(Buffer.from(chunk).toString());
      }),
  };
  const context: ExecuteContext = {
    runId,
    agent: {
      id: "agent-1",
      companyId: "company-1",
      name: "Ada",
      adapterType: run.adapter.type,
      adapterConfig: run.config ?? {},
    },
    runtime: {
      sessionId: null,
      sessionParams: run.sessionParams ?? null,
      sessionDisplayId: null,
      taskKey: "issue-1",
    },
    config: run.config ?? {},
    context: {
      issueId: "issue-1",
      wakeReason: "assigned",
      wakeSource: "assignment",
      wakeCommentIds: [],
      payload: {},
    },
    prompt: run.prompt ?? "Do your work.",
    variables: {
      agentId: "agent-1",
      agentName: "Ada",
      companyId: "company-1",
      runId,
      taskId: "issue-1",
      taskTitle: "The title",
    },
    env,
    cwd: run.cwd,
    files: workspaceOf(run).files,
    authToken: "token",
    signal: stop,
    ...(run.skills === undefined ? {} : { skills: run.skills }),
    ...(run.mcpServers === undefined ? {} : { mcpServers: run.mcpServers }),
    ...(run.houseRules === undefined ? {} : { houseRules: run.houseRules }),
    onLog: async (stream, chunk) => {
      if (stream === "system") system.push(chunk);
    },
    onMeta: async (meta) => void metas.push(meta),
    ...(messages === undefined
      ? {}
      : {
          nextWord: () => messages.shift() ?? new Promise<null>(() => {}),
          onTaken: async (id: string, how: string) => void receipts.push(`${how} ${id}`),
        }),
    onLimits: async (report) => void windows.push(...report.windows),
    ...(run.messagesAgain === undefined ? {} : { messagesAgain: run.messagesAgain }),
    ...(run.askPermission === undefined ? {} : { askPermission: run.askPermission }),
    runProcess: (spec) => {
      specs.push(spec);
      return run.runProcess?.(spec) ?? Effect.runPromise(runner.run(spec, supervision));
    },
    readText: async (path) => {
      const read = await Effect.runPromise(readText({ processes: runner, ...supervision }, path));
      if ("refusal" in read) throw new Error(read.refusal);
      return read.text;
    },
  };
  const result = await run.adapter.execute(context);
  return {
    runId,
    result,
    stdout: Buffer.concat(stdout).toString(),
    system: system.join(""),
    metas,
    specs,
    receipts,
    windows,
  };
};

export const testAdapterEnvironment = (run: AdapterRun) => run.adapter.testEnvironment(probeContext(run));

/** The context of an adapter's calls outside a run. */
export const probeContext = (run: AdapterRun): TestEnvironmentContext => {
  const runId = randomUUID();
  const env = environmentOf(run, runId);
  return {
    companyId: "company-1",
    adapterType: run.adapter.type,
    config: run.config ?? {},
    env,
    cwd: run.cwd,
    runProcess: (spec) =>
      run.runProcess?.(spec) ??
      Effect.runPromise(
        runner.run(spec, {
          runId,
          workspace: workspaceOf(run),
          env,
          stop: new AbortController().signal,
          onStarted: () => Effect.void,
          onOutput: () => Effect.void,
        }),
      ),
  };
};

const workspaceOf = ({ cwd, skills }: AdapterRun) =>
  aWorkspace(cwd, skills === undefined ? {} : { files: skills.folder });

const environmentOf = (run: AdapterRun, runId: string): Readonly<Record<string, string>> => ({
  PATH: process.env.PATH ?? "",
  HOME: join(run.cwd, "..", "home"),
  SERVICE_RUN_ID: runId,
  SERVICE_TASK_ID: "issue-1",
  ...run.env,
});
