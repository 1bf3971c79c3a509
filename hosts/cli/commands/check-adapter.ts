import type { Command } from "commander";
import { ExitWith } from "../exit-with.ts";
import { UsageError } from "../failure.ts";
import { harmless, type Terminal } from "../terminal.ts";

/** `boardroom adapters check <folder>`: runs the suite of `boardroom/plugin` without a test file. */
export const addCheckAdapter = (adapters: Command, terminal: Terminal): void => {
  adapters
    .command("check")
    .argument("<folder>", "folder of an adapter package")
    .option("--config <json>", "an adapterConfig for which a heartbeat succeeds", "{}")
    .summary("Check an adapter package against the contract")
    .description(
      "Loads the package, runs a heartbeat without a service, and reports for each sentence of the contract whether the package keeps it. This runs the package's code: use it for packages that you trust.",
    )
    .addHelpText(
      "after",
      '\nExample:\n  boardroom adapters check lighthouse --config \'{"command":"/bin/true"}\'',
    )
    .action(async (folder: string, _options: unknown, command: Command) => {
      const { config, json } = command.optsWithGlobals<{ config: string; json?: boolean }>();
      const { checkConformance } = await import("../../../plugins/kit/plugin.ts");
      const { uiParserScript } = await import("../../composition/ui-parser-script.ts");
      const found = await checkConformance(folder, { config: asObject(config), uiParserScript });
      const broken = found.filter(({ problem }) => problem !== null);
      if (json) terminal.out(`${JSON.stringify(found, null, 2)}\n`);
      else
        for (const { rule, problem } of found)
          terminal.out(
            problem === null
              ? `${terminal.colors.green("✓")} ${rule}\n`
              : `${terminal.colors.red("✗")} ${rule}: ${harmless(problem)}\n`,
          );
      // Unfinished code of the package would keep the process alive.
      if (terminal.isOwnProcess) process.exit(broken.length > 0 ? 1 : 0);
      if (broken.length > 0) throw new ExitWith(1);
    });
};

const asObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The result below reports it.
  }
  throw new UsageError("--config takes a JSON object.");
};
