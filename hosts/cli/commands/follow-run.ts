import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import { ExitWith } from "../exit-with.ts";
import { UsageError } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom runs follow <runId>`. */
export const addFollow = (runs: Command, terminal: Terminal): void => {
  runs
    .command("follow")
    .argument("<runId>", "id of a run")
    .summary("Watch a run until it ends")
    .description(
      "Watch a run until it ends: first its transcript so far, then each new entry.\nExits 0 if the run succeeded, else 1. With --json it prints the log's lines, and the result goes to standard error.",
    )
    .action(async (runId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      if (command.args.length > 1) throw new UsageError("Follow only one run.");
      const { openSession } = await import("../connection/session.ts");
      const { client } = await openSession(options, terminal);
      const { watchRun } = await import("./watch-run.ts");
      const run = await watchRun(client, runId, terminal, options.json === true);
      if (run.status !== "succeeded") throw new ExitWith(1);
    });
};
