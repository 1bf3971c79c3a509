import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Client } from "../../library/client.ts";
import { ServiceUnreachable } from "../../library/client-error.ts";
import { type CommonOptions, openSession } from "../connection/session.ts";
import { ExitWith } from "../exit-with.ts";
import { UsageError } from "../failure.ts";
import { exitOf, type RunDetail, verdictOf } from "../nouns/run-words.ts";
import type { Terminal } from "../terminal.ts";
import { type LogRecord, transcript } from "./run-log.ts";

/** The pause between two requests for the log. */
const lookMs = 400;
/** How long a service that restarts is waited for. */
const patienceMs = 60_000;

/** `boardroom runs follow <runId>`. */
export const addFollow = (runs: Command, terminal: Terminal): void => {
  runs
    .command("follow")
    .argument("<runId>", "id of a run")
    .summary("Watch a run until it ends")
    .description(
      "Watch a run until it ends: first what it has logged so far, then the rest as it comes.\nExits 0 where the run succeeded, 1 where it did not. With --json the log's own lines are printed, and the verdict goes to standard error.",
    )
    .action(async (runId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      if (command.args.length > 1) throw new UsageError("One run at a time.");
      const { client } = await openSession(options, terminal);
      const run = await followRun(client, runId, terminal, options.json === true);
      if (run.status !== "succeeded") throw new ExitWith(1);
    });
};

/** Tells a run's log while it grows, and its verdict at the end. */
export const followRun = async (
  client: Client,
  runId: string,
  terminal: Terminal,
  json: boolean,
): Promise<RunDetail> => {
  const { colors } = terminal;
  const telling = transcript(terminal);
  let offset = 0;
  let said: string | null = null;
  for (;;) {
    // The run first: what it had written when it had ended is then in the log for certain.
    const run = await patiently(() => client.runs.get({ runId }));
    if (!json && said !== run.status && (run.status === "queued" || run.status === "running")) {
      said = run.status;
      const about = run.issueIdentifier === null ? "" : ` on ${run.issueIdentifier}`;
      terminal.out(colors.dim(`${run.agentName}${about}: ${run.status}\n`));
    }
    offset = await drain(client, runId, offset, (line) => {
      if (json) terminal.out(`${line}\n`);
      else terminal.out(telling.tell(JSON.parse(line) as LogRecord));
    });
    if (run.finishedAt !== null) {
      if (!json) terminal.out(telling.rest());
      tellVerdict(run, terminal, json);
      return run;
    }
    await sleep(lookMs);
  }
};

const tellVerdict = (run: RunDetail, { out, err, colors }: Terminal, json: boolean): void => {
  const program = exitOf(run);
  const sentence = `${verdictOf(run)}${program === null || program === "exit code 0" || run.error?.includes(program) ? "" : ` The program: ${program}.`}`;
  if (json) err(`${sentence}\n`);
  else out(`${run.status === "succeeded" ? colors.green(sentence) : colors.red(sentence)}\n`);
};

const drain = async (
  client: Client,
  runId: string,
  from: number,
  line: (text: string) => void,
): Promise<number> => {
  for (let offset = from; ; ) {
    const { content, nextOffset } = await patiently(() => client.runs.log({ runId, offset }));
    for (const text of content.split("\n")) if (text !== "") line(text);
    if (nextOffset <= offset) return offset;
    offset = nextOffset;
  }
};

/** A service that is away for a moment comes back, and the run goes on meanwhile. */
const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceUnreachable) || waitedMs >= patienceMs) throw error;
      await sleep(lookMs);
    }
  }
};
