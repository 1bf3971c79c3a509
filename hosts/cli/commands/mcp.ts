import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom mcp`. */
export const addMcp = (program: Command, terminal: Terminal): void => {
  program
    .command("mcp")
    .summary("Offer the service to a model's program, as tools")
    .description(
      "Offer the service to a model's program, as tools of the Model Context Protocol on\nstandard input and output. Ends with its input.",
    )
    .helpGroup("The service:")
    .addHelpText("after", "\nExamples:\n  boardroom mcp\n  claude mcp add boardroom -- boardroom mcp")
    .action(async (_: unknown, command: Command) => {
      const { findService } = await import("../connection/connect.ts");
      const connection = await findService(command.optsWithGlobals<CommonOptions>(), terminal.env);
      const { passMessages } = await import("./pass-messages.ts");
      await passMessages(connection, process.stdin, terminal);
    });
};
