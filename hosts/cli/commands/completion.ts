import { Argument, type Command } from "commander";
import { type Shell, scriptOf, shells } from "../completion/shells.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom completion <shell>`. */
export const addCompletion = (program: Command, terminal: Terminal): void => {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell that reads the script").choices(shells))
    .summary("Print a script that completes commands in your shell")
    .description(
      "Print a script that completes commands, flags, ids and names in bash, zsh or fish.\nIds and names come from the service that the command line would call; without an answer within a second none are offered.",
    )
    .helpGroup("The service:")
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        '  eval "$(boardroom completion bash)"            # in ~/.bashrc',
        '  eval "$(boardroom completion zsh)"             # in ~/.zshrc, after compinit',
        "  boardroom completion fish | source             # in ~/.config/fish/config.fish",
      ].join("\n"),
    )
    .action((shell: Shell) => terminal.out(scriptOf[shell]));
};
