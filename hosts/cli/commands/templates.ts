import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";
import { passphraseFlag } from "./backup-options.ts";
import type { ApplyOptions, ExportOptions, ImportOptions } from "./template-options.ts";

const dryRun = ["--dry-run", "change nothing, and show what would change and what is missing"] as const;

/** `boardroom companies export` and `boardroom companies import`. */
export const addCompanyMoves = (companies: Command, terminal: Terminal): void => {
  companies
    .command("export")
    .argument("[company]", "company, by id, prefix or name; or -C")
    .summary("Write a company as a folder that people read, or with its history as a file")
    .description(
      [
        "Without --full: write a company as a folder that people read and change: agents with instructions and skills,",
        "organisation, labels, goals, projects and routines. It has no history, no ids and no value of a secret. An",
        "earlier export in the folder is replaced; all other files stay.",
        "",
        "With --full: write everything of the company into one file: issues, documents, files, runs with their logs, costs,",
        "approvals and activity. Run it on the service's machine with the service's settings; the service may run.",
        "With --passphrase-file the file is encrypted and has the values of secrets; without, it has none of them.",
      ].join("\n"),
    )
    .option("--template", "without history, as a folder; the default")
    .option("--full", "with history, as a file")
    .option(...passphraseFlag)
    .requiredOption(
      "--to <path>",
      "folder of a template, new, empty or of an earlier export; or file of --full",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  boardroom companies export Acme --to ./acme\n  boardroom companies export Acme --full --to acme.boardroom --passphrase-file /root/passphrase",
    )
    .action(async (company: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ExportOptions>();
      if (options.full) {
        const { exportFull } = await import("./move-company.ts");
        return exportFull(company ?? options.company, options, terminal);
      }
      const { openSession } = await import("../connection/session.ts");
      const session = await openSession({ ...options, company: company ?? options.company }, terminal);
      const { exportTemplate } = await import("./move-template.ts");
      await exportTemplate(session, options, terminal);
    });
  companies
    .command("import")
    .argument("<source>", "folder of a template, name of one that comes with the service, or file of --full")
    .summary("Make a company of a template, or of a file with its history")
    .description(
      [
        "Make a company of a template: a folder that `companies export` has written, or one that comes with the service",
        "(content-desk, software-team, support-desk); or of a file of `companies export --full`, on the service's machine",
        "with the service's settings. The original may be in the same service: the copy has ids of its own.",
        "The company is paused: `boardroom companies resume` starts it.",
      ].join("\n"),
    )
    .requiredOption("--name <name>", "name of the company")
    .option(...passphraseFlag)
    .option(...dryRun)
    .addHelpText(
      "after",
      "\nExamples:\n  boardroom companies import software-team --name Acme --dry-run\n  boardroom companies import acme.boardroom --name Acme --passphrase-file /root/passphrase",
    )
    .action(async (source: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const { stat } = await import("node:fs/promises");
      // A template is a folder or a name.
      if ((await stat(source).catch(() => null))?.isFile() === true) {
        const { importFull } = await import("./move-company.ts");
        return importFull(source, options, terminal);
      }
      const { openSession } = await import("../connection/session.ts");
      const session = await openSession(options, terminal);
      const { importTemplate } = await import("./move-template.ts");
      await importTemplate(session, source, options, terminal);
    });
};

/** `boardroom apply -f <folder>`. */
export const addApply = (program: Command, terminal: Terminal): void => {
  program
    .command("apply")
    .summary("Change a company to match the folder of a template")
    .description(
      [
        "Change in a company what differs from the folder, and nothing else. Fields and records that the folder does not",
        "name stay. With --prune, records that it does not name are removed, if it has any of their kind: agents are",
        "terminated, labels deleted, all others archived. Exits 1 if a dry run shows that it would be refused.",
      ].join("\n"),
    )
    .helpGroup("Work:")
    .requiredOption("-f, --file <folder>", "folder of a template")
    .option("--prune", "remove what the folder does not name")
    .option(...dryRun)
    .addHelpText(
      "after",
      "\nExamples:\n  boardroom apply -f ./acme -C Acme --dry-run\n  boardroom apply -f ./acme -C Acme",
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ApplyOptions>();
      const { openSession } = await import("../connection/session.ts");
      const session = await openSession(options, terminal);
      const { applyFolder } = await import("./move-template.ts");
      await applyFolder(session, options, terminal);
    });
};
