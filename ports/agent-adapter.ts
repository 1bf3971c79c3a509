/**
 * The contract between the service and an agent adapter: what `createServerAdapter()` of an adapter package returns.
 * Plain promises and JSON-safe values, so that an external adapter can be written against it without knowing the
 * service, and can live in a process of its own.
 */
export interface AgentAdapter {
  /** snake_case, unique over all adapters. */
  readonly type: string;
  readonly models: readonly AdapterModel[];
  /** Markdown for people and models: every key of adapterConfig this adapter reads. */
  readonly agentConfigurationDoc: string;
  /** Keys of adapterConfig that an agent may set for itself; all others are the board's. None by default. */
  readonly agentSettableKeys?: readonly string[];
  /** One heartbeat: runs the agent's program to its end. Throws only on defects; failures are in the result. */
  execute(context: ExecuteContext): Promise<ExecuteResult>;
  testEnvironment(context: TestEnvironmentContext): Promise<EnvironmentReport>;
  /** Discovered models; an empty answer falls back to `models`. */
  listModels?(context: ModelsContext): Promise<readonly AdapterModel[]>;
  readonly sessionCodec?: SessionCodec;
  /** The skills an agent has, may have and is to have (`config.desiredSkills`). Absent where agents have none. */
  listSkills?(context: SkillsContext): Promise<SkillsSnapshot>;
  /** Sees to it that the next run has these skills and none taken back; what the user installed stays as it is. */
  syncSkills?(context: SkillsContext, desiredSkills: readonly string[]): Promise<SkillsSnapshot>;
  /** The model that a run without a configured one would take; null where that cannot be told. Reads no secret out. */
  detectModel?(context: TestEnvironmentContext): Promise<DetectedModel | null>;
}

/** The root exports of an adapter package. */
export interface AdapterPackage {
  readonly type: string;
  readonly label: string;
  readonly models: readonly AdapterModel[];
  readonly agentConfigurationDoc: string;
  createServerAdapter(): AgentAdapter;
}

/** A model that can be chosen, by the id that its program knows. */
export interface AdapterModel {
  readonly id: string;
  readonly label: string;
}

/** The values a prompt template may name as `{{name}}`. */
export interface PromptVariables {
  readonly agentId: string;
  readonly agentName: string;
  readonly companyId: string;
  readonly runId: string;
  /** Empty where the run has no issue. */
  readonly taskId: string;
  readonly taskTitle: string;
}

/** All that an adapter is told of a run, and the hands it is given for it. */
export interface ExecuteContext {
  readonly runId: string;
  readonly agent: {
    readonly id: string;
    readonly companyId: string;
    readonly name: string;
    readonly adapterType: string;
    readonly adapterConfig: Readonly<Record<string, unknown>>;
  };
  /** What the last run of this agent on this task left behind for resuming. */
  readonly runtime: {
    readonly sessionId: string | null;
    readonly sessionParams: Readonly<Record<string, unknown>> | null;
    readonly sessionDisplayId: string | null;
    readonly taskKey: string;
  };
  /** adapterConfig with secrets filled in. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly context: RunContext;
  /** The prompt the service composed: what woke the agent, its task, how to work. Adapters may put their own before it. */
  readonly prompt: string;
  readonly variables: PromptVariables;
  /** The whole environment of the child: allow-listed, with the service's variables and the agent's bindings. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. Made by the service, the agent's own unless configured. */
  readonly cwd: string;
  /** Whom the agent's programs run as. Absent: the service's own user. */
  readonly user?: AgentUser;
  /** Short-lived token of this run. */
  readonly authToken: string;
  /** The skills this run is to have. Absent where it is to have none. */
  readonly skills?: RunSkills;
  /** Fires when the run must stop. `runProcess` honours it by itself. */
  readonly signal: AbortSignal;
  /** Adds to the run's log. What `runProcess` reads is logged already. */
  onLog(stream: LogStream, chunk: string): Promise<void>;
  /** Says how the agent is invoked; kept as an event of the run, secrets masked. */
  onMeta(meta: InvocationMeta): Promise<void>;
  /**
   * Says the session as soon as the program has: where the run is lost before its result, the next one resumes it.
   * Absent on hosts that keep none.
   */
  onSession?(params: Readonly<Record<string, unknown>>, displayId: string | null): Promise<void>;
  /**
   * Says what the run has used so far, counted from its beginning, so that a budget can end it in the middle. The result
   * has the last word. Absent on hosts that keep no account.
   */
  onUsage?(report: UsageReport): Promise<void>;
  /** Runs a program in the service's supervision: identity stored, output logged and masked, timeout, tree ended. */
  runProcess(spec: ProcessSpec): Promise<ProcessOutcome>;
}

/** A user of the system whose rights are not the service's. */
export interface AgentUser {
  readonly uid: number;
  readonly gid: number;
}

/** Why the agent runs. JSON-safe, the same for every adapter. */
export interface RunContext {
  readonly issueId: string | null;
  readonly wakeReason: string;
  readonly wakeSource: string;
  readonly wakeCommentIds: readonly string[];
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Where a line of a run's log comes from; `system` is what adapter and service say themselves. */
export type LogStream = "stdout" | "stderr" | "system";

/** How the agent's program is called, as people may read it. */
export interface InvocationMeta {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly notes?: readonly string[];
}

/** A program to run in the service's supervision. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** Default: the run's cwd. */
  readonly cwd?: string;
  /** Added to the run's environment; cannot replace the service's own variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names taken out of the run's environment, such as the marks of an outer session of the same tool. */
  readonly unsetEnv?: readonly string[];
  /** Files and folders besides its working directory and home that it must be able to read, as absolute paths. */
  readonly reads?: readonly string[];
  /** Written to standard input, then closed. */
  readonly stdin?: string;
  /** Positive. */
  readonly timeoutSec: number;
  /** Between SIGTERM and SIGKILL. Positive. */
  readonly graceSec: number;
  /** The program is ended when it has said nothing for so long. Default: the agent's `silenceSec`; none where that is not configured. */
  readonly silenceSec?: number;
  /**
   * Each complete line of standard output, unmasked, in order; one beyond 4 Mi characters arrives cut. True says: this
   * was the result, nothing more is needed. The program then has 5 seconds to leave.
   */
  onStdoutLine?(line: string): boolean | undefined;
}

/** What came of a program; its whole process tree is dead by then. */
export interface ProcessOutcome {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The run was told to stop (`signal`). */
  readonly stopped: boolean;
  /** It had said its result but did not leave by itself. */
  readonly endedAfterResult: boolean;
  /** It had said nothing for `silenceSec`, and was ended. */
  readonly silent?: true;
  /** It and what it started held more memory than a run may, and were ended. */
  readonly overMemory?: true;
  /** Last lines of standard error, at most 4 KiB, unmasked. */
  readonly stderrTail: string;
  /** Set when the program could not be started at all: a sentence with what to do. */
  readonly startError?: string;
}

/** What came of a run: a failure where `errorMessage` is set, where time was up, or where the exit code is not 0. */
export interface ExecuteResult {
  readonly exitCode: number | null;
  readonly signal?: string | null;
  readonly timedOut: boolean;
  /** A sentence for people; set makes the run a failure, whatever the exit code. */
  readonly errorMessage?: string;
  readonly errorCode?: string;
  readonly errorFamily?: "transient_upstream" | "provider_quota" | "model_refusal" | "sign_in_required";
  /** ISO 8601: no run of this adapter and account before this time. */
  readonly retryNotBefore?: string;
  readonly usage?: TokenUsage;
  /** What the next run on this task needs for resuming. */
  readonly sessionParams?: Readonly<Record<string, unknown>>;
  readonly sessionDisplayId?: string;
  /** The stored session is of no use any more. */
  readonly clearSession?: boolean;
  readonly provider?: string;
  readonly model?: string;
  readonly billingType?: "metered_api" | "subscription_included" | "unknown";
  /** Dollars; absent where the program reports none. */
  readonly costUsd?: number;
  /** The dollars are worked out from a price list, because the program did not come to say its own. */
  readonly estimated?: boolean;
  readonly summary?: string;
  readonly resultJson?: Readonly<Record<string, unknown>>;
}

/** What a run has used so far, from its beginning. */
export interface UsageReport {
  readonly usage: TokenUsage;
  readonly provider?: string;
  readonly model?: string;
  readonly billingType?: ExecuteResult["billingType"];
  /** Dollars; absent where nobody knows. */
  readonly costUsd?: number;
  /** The dollars are worked out from a price list, not said by the program. */
  readonly estimated?: boolean;
}

/** Whole tokens. Those read from a cache are counted apart from the other input. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
}

/** How what an adapter needs for resuming is kept as JSON, and shown to people. */
export interface SessionCodec {
  /** null for anything that is not a session of this adapter; never throws. */
  deserialize(raw: unknown): Readonly<Record<string, unknown>> | null;
  serialize(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null;
  getDisplayId(params: Readonly<Record<string, unknown>>): string | null;
}

/** A configuration to be tried without a run, and the hands for it. */
export interface TestEnvironmentContext {
  readonly companyId: string;
  readonly adapterType: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** As in a run, but logged nowhere. */
  runProcess(spec: ProcessSpec): Promise<ProcessOutcome>;
}

export interface ModelsContext extends TestEnvironmentContext {
  /** What was found before is not good enough. */
  readonly refresh?: boolean;
}

export interface SkillsContext extends TestEnvironmentContext {
  readonly offeredSkills: readonly OfferedSkill[];
}

/** A folder that tells an agent how something is done. */
export interface OfferedSkill {
  /** Name of the folder and of the skill: lower-case words with hyphens between them. */
  readonly key: string;
  /** One sentence or two on what it is good for. */
  readonly description: string;
  /** Absolute: the folder that has its SKILL.md. Programs of agents may read it. */
  readonly path: string;
}

export interface RunSkills {
  /** Those of `config.desiredSkills` that are on offer. */
  readonly wanted: readonly OfferedSkill[];
  /** Absolute; need not exist. The agent's own folder for its adapter to lay them out in, apart from its workspace. */
  readonly folder: string;
}

/** One thing that was looked at; `hint` says what to do about it. */
export interface EnvironmentCheck {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly code: string;
  readonly hint?: string;
}

export interface EnvironmentReport {
  readonly adapterType: string;
  /** fail when any check has level error. */
  readonly status: "pass" | "fail";
  readonly checks: readonly EnvironmentCheck[];
  /** ISO 8601. */
  readonly testedAt: string;
}

export interface SkillsSnapshot {
  readonly adapterType: string;
  readonly supported: boolean;
  readonly mode: "unsupported" | "persistent" | "ephemeral";
  readonly desiredSkills: readonly string[];
  readonly entries: readonly SkillEntry[];
  readonly warnings: readonly string[];
}

/** One skill that an agent has, may have or is to have. */
export interface SkillEntry {
  /** What `desiredSkills` names it by; unique among the entries. */
  readonly key: string;
  /** What the program calls it. */
  readonly runtimeName: string;
  readonly desired: boolean;
  /** Whether the service gives and takes it. */
  readonly managed: boolean;
  /**
   * available: on offer, not desired. configured: the next run has it. installed: it lies where the program looks for it.
   * missing: desired, but not on offer. stale: installed, but no longer as it is on offer. external: not ours to manage.
   */
  readonly state: "available" | "configured" | "installed" | "missing" | "stale" | "external";
  readonly origin?: "company_managed" | "user_installed" | "external_unknown";
  readonly originLabel?: string;
  readonly locationLabel?: string;
  readonly readOnly?: boolean;
  readonly sourcePath?: string;
  readonly targetPath?: string;
  readonly detail?: string;
}

export interface DetectedModel {
  readonly model: string;
  readonly provider: string;
  /** Where it was found, in words for people. */
  readonly source: string;
  /** All that were found, the one that counts first. */
  readonly candidates: readonly string[];
}
