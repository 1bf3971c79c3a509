import { CommanderError } from "commander";
import { BoardroomError, ServiceUnreachable } from "../library/client-error.ts";
import { kebab } from "./kebab.ts";
import { harmless, type Terminal } from "./terminal.ts";

/** The command was typed wrongly. Exit code 2. */
export class UsageError extends Error {}

/** The command cannot be carried out, for a reason on this side of the connection. Exit code 1. */
export class CommandFailed extends Error {
  readonly code: string;
  constructor(message: string, code = "command_failed") {
    super(message);
    this.code = code;
  }
}

/** A failure as it is reported: a sentence, what to do next, and the fields it is about. */
export interface Told {
  readonly exitCode: 1 | 2;
  readonly code: string;
  readonly sentence: string;
  readonly hint: string | null;
  readonly status: number | null;
  readonly details: unknown;
}

/** Maps every failure to an exit code and words: 1 refused or failed, 2 wrong usage. No other place does. */
export const tell = (error: unknown): Told => {
  const told = { code: "usage", hint: null, status: null, details: undefined };
  if (error instanceof UsageError) return { ...told, exitCode: 2, sentence: error.message };
  if (error instanceof CommanderError)
    return { ...told, exitCode: 2, sentence: sentenceOf(error), hint: "Add --help to see what it takes." };
  if (error instanceof CommandFailed)
    return { ...told, exitCode: 1, code: error.code, sentence: error.message };
  if (error instanceof ServiceUnreachable)
    return {
      ...told,
      exitCode: 1,
      code: "service_unreachable",
      sentence: error.message,
      hint: "Start it with `boardroom serve`, or name another with --url. `boardroom doctor` looks closer.",
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
    ...told,
    exitCode: 1,
    code: "unexpected",
    sentence: error instanceof Error ? error.message : String(error),
    hint: "That should not happen: please report it.",
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
    "Give a token with --token or SERVICE_API_KEY; on the service's own machine it lies in <data>/board-token.",
  run_ended: "The run that this token was for is over; a new run gets a new token.",
  run_id_required: "An agent writes inside a run: set SERVICE_RUN_ID, or use the run's own token.",
  forbidden: "`boardroom session get` shows who you are.",
  idempotency_in_progress: "Wait a moment and give the same command again.",
  idempotency_key_reused: "Take another --idempotency-key.",
  internal_error: "The service's own output says more.",
  issue_not_found: "`boardroom issues list` shows those there are.",
  agent_not_found: "`boardroom agents list` shows those there are.",
  company_not_found: "`boardroom companies list` shows those there are.",
  run_not_found: "`boardroom runs list` shows those there are.",
  adapter_unknown: "Built in are process, adapter_a_local, …; the name must be exact.",
};

/** The service says `title: must not be blank`; what was typed is `--title`. */
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
    return `Run ${holder.checkoutRunId} works on it. \`boardroom runs get ${holder.checkoutRunId}\` shows how it goes.`;
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

/** Writes a failure to standard error: words for people, one JSON object under --json. */
export const report = (error: unknown, json: boolean, terminal: Terminal): 1 | 2 => {
  const { exitCode, code, sentence, hint, status, details } = tell(error);
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
  // With one field the sentence names it already.
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
