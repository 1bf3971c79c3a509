import { resolve } from "node:path";
import { companyMoves, type ImportReport } from "../../composition/wiring/company-move.ts";
import { ExitWith } from "../exit-with.ts";
import { UsageError } from "../failure.ts";
import { harmless, type Terminal } from "../terminal.ts";
import { configOf, passphraseOf, progressOf, sentenced, sizeOf } from "./on-the-machine.ts";
import type { ExportOptions, ImportOptions } from "./template-options.ts";

/** Writes a company with its history into a file, and reports. */
export const exportFull = async (
  company: string | undefined,
  options: ExportOptions,
  terminal: Terminal,
): Promise<void> => {
  if (options.template) throw new UsageError("--template and --full exclude each other.");
  if (company === undefined) throw new UsageError("Name the company or use -C.");
  const passphrase = await passphraseOf(options);
  const show = progressOf(options, terminal);
  const report = await sentenced(() =>
    companyMoves.export(configOf(terminal), {
      company,
      to: options.to,
      passphrase,
      onProgress: ({ stage, table, rows, blobs }) =>
        show(`${stage}${table === undefined ? "" : ` ${table}`}: ${rows} rows, ${blobs} files`),
    }),
  ).finally(show.end);
  const { missingBlobs, omitted } = report;
  if (options.json) terminal.out(`${JSON.stringify(report)}\n`);
  else if (options.quiet) terminal.out(`${report.file}\n`);
  else
    terminal.out(
      [
        `${terminal.colors.green("✓")} ${harmless(report.company.name)}: ${report.file}`,
        `  ${report.rows} rows, ${report.blobs} files and logs (${sizeOf(report.blobBytes)}); ${sizeOf(report.bytes)}${report.encrypted ? ", encrypted" : ""}`,
        report.encrypted
          ? `  It has the values of ${report.secretValues} versions of secrets. It cannot be opened without the passphrase.`
          : "  Secret values aren't included. Use --passphrase-file to encrypt the file and include them.",
        ...(omitted.length === 0
          ? []
          : [`  Skipped, because they may be secrets: ${harmless(omitted.join(", "))}`]),
        "",
      ].join("\n"),
    );
  if (missingBlobs.length === 0) return;
  terminal.err(
    `${terminal.colors.red("✗")} ${missingBlobs.length} files that the database names are missing in the store: the export has all others. The first is ${missingBlobs[0]}.\n`,
  );
  throw new ExitWith(1);
};

/** Imports a company from a file, or reports what would be imported. */
export const importFull = async (file: string, options: ImportOptions, terminal: Terminal): Promise<void> => {
  const name = options.name.trim();
  if (name === "" || name.length > 200) throw new UsageError("--name has 1 to 200 characters.");
  const passphrase = await passphraseOf(options);
  const show = progressOf(options, terminal);
  const report = await sentenced(() =>
    companyMoves.import(configOf(terminal), {
      path: resolve(file),
      passphrase,
      name,
      dryRun: options.dryRun === true,
      onProgress: ({ stage, table, blobs }) =>
        show(`${stage}${table === undefined ? "" : ` ${table}`}: ${blobs} files`),
    }),
  ).finally(show.end);
  if (options.json) terminal.out(`${JSON.stringify(report)}\n`);
  else if (options.quiet) terminal.out(report.companyId === null ? "" : `${report.companyId}\n`);
  else terminal.out(reportOf(report, terminal));
};

const wantedLabels: Readonly<Record<keyof ImportReport["wanted"], string>> = {
  secrets: "Secrets without a value: give each one (`boardroom secrets rotate`)",
  adapters: "Adapters that are not installed",
  runners: "Runners that the original chose",
  vaults: "Vaults, disabled until you enable them",
  webhooks: "Routines whose webhooks have a new address and need a new secret",
  paths: "Agents whose paths of the machine an instance admin allows again",
  settings: "Settings that the export left out",
};

const reportOf = (report: ImportReport, { colors }: Pick<Terminal, "colors">): string => {
  const { companyId, original, wanted, rows } = report;
  const name = harmless(report.name);
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const lines = [
    companyId === null
      ? `${name} would be made, with the issue prefix ${report.issuePrefix}: ${total} rows, ${report.blobs} files and logs (${sizeOf(report.blobBytes)}).`
      : `${colors.green("✓")} ${name} is there, and paused: \`boardroom companies resume ${companyId}\` starts it.`,
    `  Of ${harmless(original.name)}, as of ${original.exportedAt} (version ${harmless(original.serviceVersion)}).`,
    ...(companyId === null
      ? Object.entries(rows).map(([table, count]) => `${colors.green("+")} ${table}  ${count}`)
      : []),
    ...(report.takenPrefix === null
      ? []
      : [
          `${colors.yellow("!")} The prefix ${report.takenPrefix} is another company's here: issues have the prefix ${report.issuePrefix}.`,
        ]),
    ...(report.sameName === 0
      ? []
      : [
          `${colors.yellow("!")} ${report.sameName} other ${report.sameName === 1 ? "company has" : "companies have"} the same name.`,
        ]),
    ...Object.entries(wanted)
      .filter(([, names]) => names.length > 0)
      .map(
        ([what, names]) =>
          `${colors.yellow("!")} ${wantedLabels[what as keyof ImportReport["wanted"]]}: ${harmless(names.join(", "))}`,
      ),
  ];
  return `${lines.join("\n")}\n`;
};
