import { CommanderError } from "commander";
import { BoardroomError, ServiceUnreachable } from "../library/client-error.ts";
import { kebab } from "./kebab.ts";
import { harmless, type Terminal } from "./terminal.ts";

/** The command line is invalid. Exit code 2. */
export class UsageError extends Error {}

/** The command cannot run, for a reason on the client's side. Exit code 1. */
export class CommandFailed extends Error {
  readonly code: string;
  constructor(message: string, code = "command_failed") {
    super(message);
    this.code = code;
  }
}

/** A failure as the CLI reports it: a sentence, the next step, and the fields that it names. */
export interface FailureReport {
  readonly exitCode: 1 | 2;
  readonly code: string;
  readonly sentence: string;
  readonly hint: string | null;
  readonly status: number | null;
  readonly details: unknown;
}

/** Maps every failure to its exit code and message: 1 refused or failed, 2 wrong usage. */
const describeFailure = (error: unknown): FailureReport => {
  const base = { code: "usage", hint: null, status: null, details: undefined };
  if (error instanceof UsageError) return { ...base, exitCode: 2, sentence: error.message };
  if (error instanceof CommanderError)
    return { ...base, exitCode: 2, sentence: sentenceOf(error), hint: "Add --help to see the usage." };
  if (error instanceof CommandFailed)
    return { ...base, exitCode: 1, code: error.code, sentence: error.message };
  if (error instanceof ServiceUnreachable)
    return {
      ...base,
      exitCode: 1,
      code: "service_unreachable",
      sentence: error.message,
      hint: "Start it with `boardroom serve`, or name another with --url. `boardroom doctor` checks the installation.",
    };
  if (error instanceof BoardroomError)
    return {
      exitCode: 1,
      code: error.code,
      sentence: asFlag(error),
      hint: hintFor(error),
      status: error.status,
      details: error.details,
    };
  return {
    ...base,
    exitCode: 1,
    code: "unexpected",
    sentence: error instanceof Error ? error.message : String(error),
    hint: "This is a defect: please report it.",
  };
};

const sentenceOf = ({ message }: CommanderError): string => {
  const bare = message
    .replace(/^error: /, "")
    .replace(/\n\((.*)\)$/, ". $1")
    .replaceAll("'", "`");
  return `${bare.charAt(0).toUpperCase()}${bare.slice(1)}${/[.?]$/.test(bare) ? "" : "."}`;
};

const hints: Readonly<Record<string, string>> = {
  unauthenticated:
    "Give a token with --token or SERVICE_API_KEY; on the service's machine it is in <data>/board-token.",
  run_ended: "The run of this token has ended; a new run gets a new token.",
  run_id_required: "An agent writes inside a run: set SERVICE_RUN_ID, or use the run's own token.",
  forbidden: "`boardroom session get` shows who you are.",
  idempotency_in_progress: "Wait a moment and run the same command again.",
  idempotency_key_reused: "Use another --idempotency-key.",
  internal_error: "The service's own output says more.",
  issue_not_found: "`boardroom issues list` shows all issues.",
  agent_not_found: "`boardroom agents list` shows all agents.",
  company_not_found: "`boardroom companies list` shows all companies.",
  run_not_found: "`boardroom runs list` shows all runs.",
  adapter_unknown: "Built in are process, adapter_a_local, …; the name must be exact.",
};

/** Names the flag in the service's sentence: `title: must not be blank` becomes `--title: must not be blank`. */
const asFlag = ({ message, code, details }: BoardroomError): string => {
  const [first] = code === "validation_error" && Array.isArray(details) ? details : [];
  const path = (first as { path?: readonly unknown[] } | undefined)?.path ?? [];
  const name = String(path[0] ?? "");
  return name !== "" && message.startsWith(name) ? `--${kebab(name)}${message.slice(name.length)}` : message;
};

const hintFor = ({ code, status, retryAfterSec, details }: BoardroomError): string | null => {
  if (retryAfterSec !== null) return `Try again in ${retryAfterSec} s.`;
  const holder = details as { assigneeAgentId?: string | null; checkoutRunId?: string | null } | undefined;
  if (status === 409 && holder?.checkoutRunId)
    return `Run ${holder.checkoutRunId} works on it. \`boardroom runs get ${holder.checkoutRunId}\` shows its state.`;
  return hints[code] ?? null;
};

/** Lists the fields that a refusal names, as flags. */
const fieldLines = (details: unknown): string[] => {
  const problems = Array.isArray(details)
    ? details
    : details === undefined || details === null
      ? []
      : [details];
  return problems.flatMap((problem: { path?: unknown; message?: unknown }) =>
    Array.isArray(problem.path) && problem.path.length > 0
      ? [
          `--${kebab(String(problem.path[0]))}${problem.path
            .slice(1)
            .map((part) => `.${String(part)}`)
            .join("")}${typeof problem.message === "string" ? `: ${problem.message}` : ""}`,
        ]
      : [],
  );
};

/** Writes a failure to standard error: a message for people, one JSON object under --json. */
export const report = (error: unknown, json: boolean, terminal: Terminal): 1 | 2 => {
  const { exitCode, code, sentence, hint, status, details } = describeFailure(error);
  if (json) {
    const body = {
      error: sentence,
      code,
      ...(details === undefined ? {} : { details }),
      ...(status === null ? {} : { status }),
      ...(hint === null ? {} : { hint }),
    };
    terminal.err(`${JSON.stringify(body)}\n`);
    return exitCode;
  }
  const { red, dim } = terminal.colors;
  const fields = fieldLines(details);
  // The sentence already names a single field.
  const lines = fields.length > 1 || (fields.length === 1 && !sentence.includes(":")) ? fields : [];
  terminal.err(
    [
      `${red("✗")} ${harmless(sentence)}${hint === null ? "" : ` ${dim(hint)}`}`,
      ...lines.map((line) => `  ${harmless(line)}`),
      "",
    ].join("\n"),
  );
  if (code === "unexpected" && error instanceof Error && terminal.env.BOARDROOM_DEBUG)
    terminal.err(`${error.stack}\n`);
  return exitCode;
};
