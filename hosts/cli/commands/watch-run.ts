import { setTimeout as sleep } from "node:timers/promises";
import { isLive } from "../../../core/model/runs/run-status.ts";
import type { Client } from "../../library/client.ts";
import { ServiceUnreachable } from "../../library/client-error.ts";
import { exitOf, outcomeOf, type RunDetail } from "../nouns/describe-run.ts";
import { entriesReport } from "../nouns/transcript-report.ts";
import type { Terminal } from "../terminal.ts";

/** The pause between two requests for the log. */
const pollMs = 400;
/** How long the command waits for a service that restarts. */
const patienceMs = 60_000;
/** A person who watches wants to see the next step, not a whole file that was read. */
const resultLines = 4;

/** Prints a run's transcript, or as JSON its log, while it grows, and its result at the end. */
export const watchRun = async (
  client: Client,
  runId: string,
  terminal: Terminal,
  json: boolean,
): Promise<RunDetail> => {
  const { colors } = terminal;
  let offset = 0;
  let shownStatus: string | null = null;
  for (;;) {
    // It reads the run before its output: if the run has ended, the output is complete.
    const run = await retryWhileUnreachable(() => client.runs.get({ runId }));
    if (!json && shownStatus !== run.status && isLive(run.status)) {
      shownStatus = run.status;
      const about = run.issueIdentifier === null ? "" : ` on ${run.issueIdentifier}`;
      terminal.out(colors.dim(`${run.agentName}${about}: ${run.status}\n`));
    }
    offset = await (json ? printLog : printTranscript)(client, runId, offset, terminal);
    if (run.finishedAt !== null) {
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

/** Prints the output from an offset on, and returns the offset at which it continues. */
type PrintOutput = (client: Client, runId: string, from: number, terminal: Terminal) => Promise<number>;

const printLog: PrintOutput = async (client, runId, from, { out }) => {
  for (let offset = from; ; ) {
    const { content, nextOffset } = await retryWhileUnreachable(() => client.runs.log({ runId, offset }));
    out(content);
    if (nextOffset <= offset) return offset;
    offset = nextOffset;
  }
};

const printTranscript: PrintOutput = async (client, runId, from, terminal) => {
  for (let offset = from; ; ) {
    const part = await retryWhileUnreachable(() => client.runs.transcript({ runId, offset }));
    terminal.out(entriesReport(part.entries, terminal, resultLines));
    offset = part.nextOffset;
    if (part.complete) return offset;
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
