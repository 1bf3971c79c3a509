import { Command, CommanderError } from "commander";
import { version } from "../composition/version.ts";
import { addBackup } from "./commands/backup.ts";
import { addCheckAdapter } from "./commands/check-adapter.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDemo } from "./commands/demo.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addFollow } from "./commands/follow-run.ts";
import { addMcp } from "./commands/mcp.ts";
import { addNewAdapter } from "./commands/new-adapter.ts";
import { addOpen } from "./commands/open.ts";
import { addServe } from "./commands/serve.ts";
import { addApply, addCompanyMoves } from "./commands/templates.ts";
import { completeWord } from "./completion/shells.ts";
import { addEndpointCommands, groupNames } from "./endpoints/endpoint-commands.ts";
import { ExitWith } from "./exit-with.ts";
import { report } from "./failure.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

const footer = `
Start here:
  boardroom serve                         run the service
  boardroom open                          open the board page, signed in
  boardroom demo                          watch an agent work on an issue
  boardroom companies create --name Acme  create a company
  boardroom issues list                   list open work
  boardroom runs follow <runId>           watch a run live

The CLI takes service and token from --url and --token, from SERVICE_API_URL and
SERVICE_API_KEY, else from the data directory of the service on this machine
(SERVICE_DATA_DIR).
Lists cut columns to the width of the terminal; a pipe gets every column, and
--json every field.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage. With --json, errors are
one JSON object on standard error.`;

/** Makes the command with the subcommands that the arguments can mean, bound to a terminal. */
const boardroomCommand = (args: readonly string[], terminal: Terminal): Command => {
  const program = new Command("boardroom")
    .description("The control service for companies made of AI agents.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .option("--url <url>", "URL of the service")
    .option("--token <token>", "board token, agent key or run token")
    .option(
      "-C, --company <company>",
      "company by id, prefix or name (default: SERVICE_COMPANY_ID or the only one)",
    )
    .option("--json", "print the answer as JSON")
    .option("-q, --quiet", "print only ids, one per line; for a new key or token print its text")
    .addHelpText("after", footer);
  addServe(program);
  addOpen(program, terminal);
  addMcp(program, terminal);
  addDemo(program, terminal);
  addDoctor(program, terminal);
  addBackup(program, terminal);
  addApply(program, terminal);
  addCompletion(program, terminal);
  addEndpointCommands(program, args, terminal);
  const adapters = program.commands.find((command) => command.name() === "adapters") ?? program;
  addNewAdapter(adapters, terminal);
  addCheckAdapter(adapters, terminal);
  addCompanyMoves(program.commands.find((command) => command.name() === "companies") ?? program, terminal);
  addFollow(program.commands.find((command) => command.name() === "runs") ?? program, terminal);
  for (const command of everyCommand(program)) {
    command.exitOverride();
    command.helpCommand(false);
    command.configureHelp({
      // Long command names leave only a narrow column for the description, which reads better than broken lines.
      minWidthToWrap: 20,
      showGlobalOptions: command.commands.length === 0,
      subcommandTerm: (sub) =>
        [sub.name(), ...sub.aliases()].join("|") +
        (sub.parent === program && groupNames.has(sub.name())
          ? ""
          : ` ${sub.usage()}`.replace(/ ?\[options\]/, "")),
    });
    command.showSuggestionAfterError(true);
    // Commander writes help; `report` alone writes errors, for people or as JSON.
    command.configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: () => {},
      getOutHelpWidth: () => terminal.width ?? 80,
      getErrHelpWidth: () => terminal.width ?? 80,
    });
  }
  return program;
};

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)];

/** Runs one command line and returns its exit code; it does not end the process. */
export const cli = async (
  args: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> => {
  const program = boardroomCommand(args, terminal);
  if (args[0] === completeWord) {
    const { complete } = await import("./completion/complete.ts");
    await complete(program, args.slice(1), terminal);
    return 0;
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    // `--help` is not a failure; `boardroom issues` alone also shows help, but is wrong usage.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === "commander.help") return 2;
    if (error instanceof ExitWith) return error.exitCode;
    return report(error, args.includes("--json"), terminal);
  }
};
