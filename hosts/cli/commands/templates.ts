import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";
import type { ApplyOptions, ExportOptions, ImportOptions } from "./template-options.ts";

const dryRun = ["--dry-run", "change nothing, and show what would change and what is missing"] as const;

/** `boardroom companies export` and `boardroom companies import`. */
export const addCompanyMoves = (companies: Command, terminal: Terminal): void => {
  companies
    .command("export")
    .argument("[company]", "company, by id, prefix or name; or -C")
    .summary("Write a company as a folder of YAML and Markdown")
    .description(
      [
        "Write a company as a folder that people read and change: agents with instructions and skills, organisation,",
        "labels, goals, projects and routines. It has no history, no ids and no value of a secret. An earlier export in",
        "the folder is replaced; all other files stay.",
      ].join("\n"),
    )
    .option("--template", "without history; the only kind of export, so that it may be left out")
    .requiredOption("--to <folder>", "a new or empty folder, or that of an earlier export")
    .addHelpText("after", "\nExample:\n  boardroom companies export Acme --to ./acme")
    .action(async (company: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ExportOptions>();
      const { openSession } = await import("../connection/session.ts");
      const session = await openSession({ ...options, company: company ?? options.company }, terminal);
      const { exportTemplate } = await import("./move-template.ts");
      await exportTemplate(session, options, terminal);
    });
  companies
    .command("import")
    .argument("<folder>", "folder of a template, or the name of one that comes with the service")
    .summary("Make a company of a template")
    .description(
      [
        "Make a company of a template: a folder that `companies export` has written, or one that comes with the service",
        "(content-desk, software-team, support-desk). The company is paused: `boardroom companies resume` starts it.",
      ].join("\n"),
    )
    .requiredOption("--name <name>", "name of the company")
    .option(...dryRun)
    .addHelpText(
      "after",
      "\nExamples:\n  boardroom companies import software-team --name Acme --dry-run\n  boardroom companies import ./acme --name 'Acme Two'",
    )
    .action(async (source: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
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
    .summary("Make a company what the folder of a template declares")
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
