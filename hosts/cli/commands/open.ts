import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom open`. */
export const addOpen = (program: Command, terminal: Terminal): void => {
  program
    .command("open")
    .summary("Open the board page, signed in")
    .description(
      "Open the board page in a browser, signed in as the token's user.\nThe link works once, within two minutes. If no browser can be opened, the command prints the link.",
    )
    .helpGroup("The service:")
    .option("--print", "print the link instead of opening it")
    .addHelpText("after", "\nExamples:\n  boardroom open\n  boardroom open --print")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions & { print?: boolean }>();
      const { openSession } = await import("../connection/session.ts");
      const { client, callOptions } = await openSession(options, terminal);
      const link = await client.session.createLink({}, callOptions);
      if (options.json) return terminal.out(`${JSON.stringify(link)}\n`);
      const { openInBrowser } = await import("./open-in-browser.ts");
      if (options.print !== true && (await openInBrowser(link.url, terminal.env))) {
        terminal.err("The board page opens in your browser.\n");
        return;
      }
      terminal.out(`${link.url}\n`);
    });
};
