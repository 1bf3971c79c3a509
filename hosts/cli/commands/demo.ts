import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom demo`. */
export const addDemo = (program: Command, terminal: Terminal): void => {
  program
    .command("demo")
    .summary("Watch an agent work on an issue in a new company")
    .description(
      "Create a company, hire an agent, assign an issue and watch it work.\nUses the running service, or else starts one in a scratch directory, which is deleted afterwards. The agent is a small program, so no model and no account is needed.",
    )
    .helpGroup("The service:")
    .action(async (_: unknown, command: Command) => {
      const { playDemo } = await import("./play-demo.ts");
      await playDemo(command.optsWithGlobals<CommonOptions>(), terminal);
    });
};
