import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Client } from "../../library/client.ts";
import { ServiceUnreachable } from "../../library/client-error.ts";
import { type CommonOptions, openSession } from "../connection/session.ts";
import { ExitWith } from "../exit-with.ts";
import { UsageError } from "../failure.ts";
import { exitOf, outcomeOf, type RunDetail } from "../nouns/run-words.ts";
import type { Terminal } from "../terminal.ts";
import { type LogRecord, transcript } from "./run-log.ts";

/** The pause between two requests for the log. */
const pollMs = 400;
/** How long the command waits for a service that restarts. */
const patienceMs = 60_000;

/** `boardroom runs follow <runId>`. */
export const addFollow = (runs: Command, terminal: Terminal): void => {
  runs
    .command("follow")
    .argument("<runId>", "id of a run")
    .summary("Watch a run until it ends")
    .description(
      "Watch a run until it ends: first its log so far, then each new line.\nExits 0 if the run succeeded, else 1. With --json it prints the log's lines, and the result goes to standard error.",
    )
    .action(async (runId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      if (command.args.length > 1) throw new UsageError("The command follows one run.");
      const { client } = await openSession(options, terminal);
      const run = await followRun(client, runId, terminal, options.json === true);
      if (run.status !== "succeeded") throw new ExitWith(1);
    });
};

/** Prints a run's log while it grows, and its result at the end. */
export const followRun = async (
  client: Client,
  runId: string,
  terminal: Terminal,
  json: boolean,
): Promise<RunDetail> => {
  const { colors } = terminal;
  const printer = transcript(terminal);
  let offset = 0;
  let shownStatus: string | null = null;
  for (;;) {
    // It reads the run before the log: if the run has ended, the log is complete.
    const run = await retryWhileUnreachable(() => client.runs.get({ runId }));
    if (!json && shownStatus !== run.status && (run.status === "queued" || run.status === "running")) {
      shownStatus = run.status;
      const about = run.issueIdentifier === null ? "" : ` on ${run.issueIdentifier}`;
      terminal.out(colors.dim(`${run.agentName}${about}: ${run.status}\n`));
    }
    offset = await printLog(client, runId, offset, (line) => {
      if (json) terminal.out(`${line}\n`);
      else terminal.out(printer.print(JSON.parse(line) as LogRecord));
    });
    if (run.finishedAt !== null) {
      if (!json) terminal.out(printer.rest());
      printResult(run, terminal, json);
      return run;
    }
    await sleep(pollMs);
  }
};

const printResult = (run: RunDetail, { out, err, colors }: Terminal, json: boolean): void => {
  const program = exitOf(run);
  const sentence = `${outcomeOf(run)}${program === null || program === "exit code 0" || run.error?.includes(program) ? "" : ` The program: ${program}.`}`;
  if (json) err(`${sentence}\n`);
  else out(`${run.status === "succeeded" ? colors.green(sentence) : colors.red(sentence)}\n`);
};

const printLog = async (
  client: Client,
  runId: string,
  from: number,
  line: (text: string) => void,
): Promise<number> => {
  for (let offset = from; ; ) {
    const { content, nextOffset } = await retryWhileUnreachable(() => client.runs.log({ runId, offset }));
    for (const text of content.split("\n")) if (text !== "") line(text);
    if (nextOffset <= offset) return offset;
    offset = nextOffset;
  }
};

/** Repeats a call while the service is unreachable for a short time; the run continues meanwhile. */
const retryWhileUnreachable = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ServiceUnreachable) || waitedMs >= patienceMs) throw error;
      await sleep(pollMs);
    }
  }
};
