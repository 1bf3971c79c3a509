import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import { ExitWith } from "../exit-with.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom doctor`. */
export const addDoctor = (program: Command, terminal: Terminal): void => {
  program
    .command("doctor")
    .summary("Check this installation and report problems")
    .description(
      "Check this installation and report problems: Node, data directory, service, token, keys, database, agents, runners.\nExits 1 if a check fails.",
    )
    .helpGroup("The service:")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      const { examine, printed } = await import("../doctor/doctor.ts");
      const checks = await examine(options, terminal.env);
      if (options.json) terminal.out(`${JSON.stringify(checks, null, 2)}\n`);
      else terminal.out(printed(checks, terminal));
      if (checks.some(({ level }) => level === "fail")) throw new ExitWith(1);
    });
};
