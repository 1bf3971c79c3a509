import type { ConfigSchema } from "../core/model/adapters/config-schema.ts";
import type { MessageAgain, PermissionAnswer, PermissionRequest, Word } from "./agent-people.ts";
import type { OfferedSkill, RunSkills, SkillsSnapshot } from "./agent-skills.ts";
import type { McpServerOfRun } from "./agent-tools.ts";
import type { BillingType, LimitReport, LimitWindow, TokenUsage, UsageReport } from "./agent-usage.ts";

export type { SkillEntry } from "./agent-skills.ts";
export type {
  ConfigSchema,
  LimitReport,
  LimitWindow,
  McpServerOfRun,
  MessageAgain,
  OfferedSkill,
  PermissionAnswer,
  PermissionRequest,
  RunSkills,
  SkillsSnapshot,
  TokenUsage,
  UsageReport,
  Word,
};

/**
 * The contract between the service and an agent adapter: the result of an adapter package's `createServerAdapter()`. It
 * uses plain promises and JSON-safe values, so that an external adapter needs no knowledge of the service and can run
 * in a separate process.
 */
export interface AgentAdapter {
  /** snake_case, unique over all adapters. */
  readonly type: string;
  readonly models: readonly AdapterModel[];
  /** Markdown for people and models: every key of adapterConfig this adapter reads. */
  readonly agentConfigurationDoc: string;
  /**
   * The schema of adapterConfig, as JSON Schema: the service refuses a value that it excludes when it is set, and forms
   * offer its keys. It describes the adapter's own keys; others, such as `env`, are the service's. Absent: nothing is
   * checked before a run.
   */
  readonly configSchema?: ConfigSchema;
  /** Keys of adapterConfig that an agent may set for itself; only the board sets the others. None by default. */
  readonly agentSettableKeys?: readonly string[];
  /**
   * Whether its agents have files, such as a workspace or sessions, on the host that runs them. Absent: true, and an
   * agent belongs to its host. Where false, each run goes to any host and resumes its session there.
   */
  readonly keepsFiles?: boolean;
  /** Runs the agent's program once, to its end. Throws only on defects; failures are in the result. */
  execute(context: ExecuteContext): Promise<ExecuteResult>;
  testEnvironment(context: TestEnvironmentContext): Promise<EnvironmentReport>;
  /** Returns discovered models; an empty list falls back to `models`. */
  listModels?(context: ModelsContext): Promise<readonly AdapterModel[]>;
  readonly sessionCodec?: SessionCodec;
  /**
   * Returns the skills an agent has, may have and should have (`config.desiredSkills`). Absent where agents have none.
   */
  listSkills?(context: SkillsContext): Promise<SkillsSnapshot>;
  /** Gives the next run exactly these skills; does not change what the user installed. */
  syncSkills?(context: SkillsContext, desiredSkills: readonly string[]): Promise<SkillsSnapshot>;
  /** Returns the model of a run without a configured one; null where that is unknown. Exposes no secret. */
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

/** A selectable model, by the id that its program knows. */
export interface AdapterModel {
  readonly id: string;
  readonly label: string;
}

/** The values that a prompt template may name as `{{name}}`. */
export interface PromptVariables {
  readonly agentId: string;
  readonly agentName: string;
  readonly companyId: string;
  readonly runId: string;
  /** Empty where the run has no issue. */
  readonly taskId: string;
  readonly taskTitle: string;
}

/** The data of a run and the service's functions for it. */
export interface ExecuteContext {
  readonly runId: string;
  readonly agent: {
    readonly id: string;
    readonly companyId: string;
    readonly name: string;
    readonly adapterType: string;
    readonly adapterConfig: Readonly<Record<string, unknown>>;
  };
  /** State of this agent's last run on this task, for resuming. */
  readonly runtime: {
    readonly sessionId: string | null;
    readonly sessionParams: Readonly<Record<string, unknown>> | null;
    readonly sessionDisplayId: string | null;
    readonly taskKey: string;
  };
  /** adapterConfig with secrets filled in. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly context: RunContext;
  /** The prompt of the service: why the agent wakes, its task, how to work. Adapters may prepend their own text. */
  readonly prompt: string;
  readonly variables: PromptVariables;
  /** The whole environment of the child: allow-listed, with the service's variables and the agent's bindings. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. The service creates the agent's own folder unless one is configured. */
  readonly cwd: string;
  /** Absolute, outside of `cwd`: the folder of the files that a `ProcessSpec` names. */
  readonly files: string;
  /** The user of the agent's programs. Absent: the service's own user. */
  readonly user?: AgentUser;
  /** Short-lived token of this run. */
  readonly authToken: string;
  /**
   * The rules that all agents of the company read in every run, as Markdown: for the file that the program reads for that, below
   * `files`, or before the prompt. Absent where the company has none.
   */
  readonly houseRules?: string;
  /** The skills of this run. Absent where it has none. */
  readonly skills?: RunSkills;
  /** The company's MCP servers for the agent's program. Absent where the agent gets none. */
  readonly mcpServers?: readonly McpServerOfRun[];
  /** Fires when the run must stop. `runProcess` obeys it itself. */
  readonly signal: AbortSignal;
  /** Adds to the run's log. `runProcess` logs its output itself. */
  onLog(stream: LogStream, chunk: string): Promise<void>;
  /** Reports how the agent is invoked; stored as an event of the run with secrets masked. */
  onMeta(meta: InvocationMeta): Promise<void>;
  /**
   * Reports the session as soon as the program has one: if the run is lost before its result, the next run resumes it.
   * Absent if the caller stores no sessions.
   */
  onSession?(params: Readonly<Record<string, unknown>>, displayId: string | null): Promise<void>;
  /**
   * Reports the usage since the start of the run, so that a budget can end it early. The result replaces it. Absent if
   * the caller records no costs.
   */
  onUsage?(report: UsageReport): Promise<void>;
  /**
   * Reports how much of its provider's windows the account has used, where the program tells it; never computed. A
   * rejected window holds new runs of the account until its reset. Absent if the caller keeps none.
   */
  onLimits?(report: LimitReport): Promise<void>;
  /**
   * Asks people whether the program may use a tool: a card in the run's issue. Meanwhile the run's limits of time and
   * of silence stand still. A no has a sentence for the model: of the person, or because nobody answered in time, the
   * run stops, or it asks too much. Never rejects but for an invalid request. Absent where nobody can be asked.
   */
  askPermission?(request: PermissionRequest): Promise<PermissionAnswer>;
  /**
   * Resolves with what a person says to the run next, one word at a time; null: none comes any more. The first call says
   * that the run's program takes messages, and whether it takes interrupts; an adapter without one leaves all messages to
   * the next run. A message that is not reported by `onTaken` when the run ends is the next run's, too. Rejects a second
   * call while one waits. Absent where nobody can say anything.
   */
  nextWord?(takes: { readonly interrupt: boolean }): Promise<Word | null>;
  /**
   * Reports what became of a message: `taken` once the program itself has said that it has it, `queued` where it gets it
   * at the end of its turn, in the same run. Resolves when it is stored.
   */
  onTaken?(id: string, how: "queued" | "taken"): Promise<void>;
  /**
   * Messages that an earlier run with this adapter gave to its program, without learning whether it has them. They are not
   * in the prompt. The program gets them again under the same id where it knows them by their ids, otherwise in words that
   * say so. Absent if it has none.
   */
  readonly messagesAgain?: readonly MessageAgain[];
  /** Programs without an open input outlive a restart of the service. */
  readonly mayOutlive?: true;
  /**
   * Runs a program under supervision: stores its identity, logs and masks its output, enforces the timeout, ends its
   * tree.
   */
  runProcess(spec: ProcessSpec): Promise<ProcessOutcome>;
  /**
   * Reads a text of at most 512 KiB on the service's machine, wherever the run's programs are: as the agents' user, and
   * only what its programs would see there. An adapter that reads a configured file itself would read it with the
   * service's rights. Rejects with a sentence.
   */
  readText(path: string): Promise<string>;
}

/** An operating-system user other than the service's. */
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

/** The source of a line in a run's log; `system` is the adapter or the service itself. */
export type LogStream = "stdout" | "stderr" | "system";

/** How the agent's program is invoked, for people to read. */
export interface InvocationMeta {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly notes?: readonly string[];
  /** Whether the program's configuration names the service's tools; the run's log then says if it has not listed them. */
  readonly tools?: boolean;
}

/** A program to run under supervision. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** Default: the run's cwd. */
  readonly cwd?: string;
  /** Added to the run's environment; cannot replace the service's own variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables to remove from the run's environment, such as the marks of an outer session of the same tool. */
  readonly unsetEnv?: readonly string[];
  /**
   * Files and folders, in addition to its working directory and home, that the program must be able to read; absolute paths.
   */
  readonly reads?: readonly string[];
  /** Laid out before the program starts, where it runs. Links and files of earlier runs that are not named are gone. */
  readonly files?: readonly ProgramFile[];
  /** Written to standard input, then closed. */
  readonly stdin?: string;
  /**
   * Standard input that stays open until `end`, in place of `stdin`. Called once, when the program has started and before
   * its first line.
   */
  onInput?(input: ProgramInput): void;
  /** Positive. */
  readonly timeoutSec: number;
  /** Seconds between SIGTERM and SIGKILL. Positive. */
  readonly graceSec: number;
  /**
   * Seconds without output after which the program is ended. Default: the agent's `silenceSec`; no limit where that is
   * not configured.
   */
  readonly silenceSec?: number;
  /**
   * Receives each complete line of standard output, unmasked, in order. A line beyond 4 Mi characters is cut; of a program
   * with `onInput` it is left out, and the run's log says so. Returns true when the line was the result, or a promise of
   * that. The program then has 5 seconds to exit.
   */
  onStdoutLine?(line: string): boolean | undefined | Promise<boolean | undefined>;
}

/** The open input of a program. What follows its end, or the end of the program, is dropped. */
export interface ProgramInput {
  /** Keeps the order. The program is ended where it leaves more than 16 MiB unread. */
  write(text: string): void;
  /** Closes it after what was written. */
  end(): void;
}

/** A file or a folder that a program gets to read. */
export type ProgramFile = {
  /** Absolute, as the program sees it, below the `files` of its context. */
  readonly path: string;
} & (
  | {
      /** Absolute, on the service's machine, where the agent's user must be able to read it. */
      readonly source: string;
    }
  | {
      /** The content of the file. */
      readonly text: string;
    }
);

/** The result of a program, after its whole process tree has ended. */
export interface ProcessOutcome {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The run received a stop request (`signal`). */
  readonly stopped: boolean;
  /** It had reported its result but did not exit by itself. */
  readonly endedAfterResult: boolean;
  /** It was ended after `silenceSec` without output. */
  readonly silent?: true;
  /** It was ended because its process tree exceeded the memory limit of a run. */
  readonly overMemory?: true;
  /** It was ended because its process tree added more than it may to its working directory and home. */
  readonly overDisk?: true;
  /** It was ended because it left more of its open input unread than may wait for it. */
  readonly unreadInput?: true;
  /** It failed after its process tree had reached its limit of processes. */
  readonly overProcesses?: true;
  /** It failed and has missed files that its sandbox hides: sentences with a remedy. */
  readonly missed?: readonly string[];
  /** Last lines of standard error, at most 4 KiB, unmasked. */
  readonly stderrTail: string;
  /** Set when the program could not be started: a sentence with a remedy. */
  readonly startError?: string;
}

/** The result of a run: a failure where `errorMessage` is set, the time limit was reached, or the exit code is not 0. */
export interface ExecuteResult {
  readonly exitCode: number | null;
  readonly signal?: string | null;
  readonly timedOut: boolean;
  /** A sentence for people; it makes the run a failure, whatever the exit code. */
  readonly errorMessage?: string;
  readonly errorCode?: string;
  readonly errorFamily?: "transient_upstream" | "provider_quota" | "model_refusal" | "sign_in_required";
  /** ISO 8601: no run of this adapter and account before this time. */
  readonly retryNotBefore?: string;
  readonly usage?: TokenUsage;
  /** The state that the next run on this task needs for resuming. */
  readonly sessionParams?: Readonly<Record<string, unknown>>;
  readonly sessionDisplayId?: string;
  /** Discards the stored session. */
  readonly clearSession?: boolean;
  readonly provider?: string;
  readonly model?: string;
  readonly billingType?: BillingType;
  /** Dollars; absent where the program reports none. */
  readonly costUsd?: number;
  /** Whether the dollars come from a price list, because the program did not report its own total. */
  readonly estimated?: boolean;
  readonly summary?: string;
  /**
   * The agent has its prompt, however the run ended: messages of people in it are delivered. Where it is absent, a session says
   * so, or, for an adapter without a sessionCodec, the start of a program.
   */
  readonly prompted?: boolean;
  readonly resultJson?: Readonly<Record<string, unknown>>;
}

/** Converts an adapter's session to JSON, and shows it to people. */
export interface SessionCodec {
  /** Returns null for anything that is not a session of this adapter; never throws. */
  deserialize(raw: unknown): Readonly<Record<string, unknown>> | null;
  serialize(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null;
  getDisplayId(params: Readonly<Record<string, unknown>>): string | null;
}

/** A configuration to test without a run, and the service's functions for it. */
export interface TestEnvironmentContext {
  readonly companyId: string;
  readonly adapterType: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Programs run on another machine: the files of this one say nothing about them. */
  readonly remote?: true;
  /** Works as in a run, without a log. */
  runProcess(spec: ProcessSpec): Promise<ProcessOutcome>;
}

export interface ModelsContext extends TestEnvironmentContext {
  /** Ignores cached models. */
  readonly refresh?: boolean;
}

export interface SkillsContext extends TestEnvironmentContext {
  readonly offeredSkills: readonly OfferedSkill[];
}

/** One check of the environment; `hint` gives a remedy. */
export interface EnvironmentCheck {
  readonly level: "info" | "warn" | "error";
  /** With `info`: it was tried and works. Without it, an `info` only tells something. */
  readonly passed?: true;
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

export interface DetectedModel {
  readonly model: string;
  readonly provider: string;
  /** Where it was found, in words for people. */
  readonly source: string;
  /** All findings; the first one counts. */
  readonly candidates: readonly string[];
}
