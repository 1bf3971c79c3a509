import { join, resolve } from "node:path";
import { type BackupReport, backups } from "../../composition/wiring/backup.ts";
import type { CommonOptions } from "../connection/session.ts";
import { ExitWith } from "../exit-with.ts";
import { UsageError } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import type { BackupOptions, FileOptions } from "./backup-options.ts";
import { configOf, passphraseOf, progressOf, sentenced, sizeOf } from "./on-the-machine.ts";

/** Backs up as the options say, and reports. */
export const takeBackup = async (options: BackupOptions, terminal: Terminal): Promise<void> => {
  const passphrase = await passphraseOf(options);
  if (passphrase === null && (options.withKey || options.encrypt))
    throw new UsageError("--with-key and --encrypt need --passphrase-file.");
  if (passphrase !== null && !options.withKey && !options.encrypt)
    throw new UsageError("--passphrase-file needs --with-key, --encrypt or both.");
  const config = configOf(terminal);
  // The service and its database work on meanwhile.
  if (terminal.isOwnProcess) backups.yieldProcessor();
  if (options.withWorkspaces && !options.quiet) {
    const { count, bytes } = await sentenced(() => backups.measureWorkspaces(config.dataDir));
    terminal.err(`Workspaces and homes have ${count} files, links and folders: ${sizeOf(bytes)}.\n`);
  }
  const show = progressOf(options, terminal);
  const report = await sentenced(() =>
    backups.make(config, {
      kind: "manual",
      to: options.to ?? join(config.dataDir, "backups"),
      passphrase,
      withKey: options.withKey === true,
      encrypt: options.encrypt === true,
      withWorkspaces: options.withWorkspaces === true,
      onProgress: ({ stage, table, rows, blobs }) =>
        show(`${stage}${table === undefined ? "" : ` ${table}`}: ${rows} rows, ${blobs} files`),
    }),
  ).finally(show.end);
  if (options.json) terminal.out(`${JSON.stringify(report)}\n`);
  else if (options.quiet) terminal.out(`${report.file}\n`);
  else
    terminal.out(
      [
        `${terminal.colors.green("✓")} ${report.file}`,
        `  ${report.rows} rows of ${report.tables} tables, ${report.blobs} files and logs (${sizeOf(report.blobBytes)}); ${sizeOf(report.bytes)}${report.encrypted ? ", encrypted" : ""}`,
        ...(report.workspaces === null
          ? []
          : [
              `  ${report.workspaces.files} files, links and folders of workspaces and homes (${sizeOf(report.workspaces.bytes)})`,
            ]),
        `  SHA-256 ${report.sha256}`,
        report.withKey
          ? "  It holds the master key, encrypted by the passphrase. It cannot be opened without the passphrase."
          : "  The master key is not in it: keep a copy of the key in another place.",
        "",
      ].join("\n"),
    );
  printLeftOut(report.workspaces?.leftOut, terminal);
  failForMissing(report.missingBlobs, terminal);
};

/** Verifies a file and reports. */
export const checkFile = async (file: string, options: FileOptions, terminal: Terminal): Promise<void> => {
  const passphrase = await passphraseOf(options);
  const show = progressOf(options, terminal);
  const report = await sentenced(() =>
    backups.verify(configOf(terminal), { path: resolve(file), passphrase }, ({ stage, table, blobs }) =>
      show(`${stage}${table === undefined ? "" : ` ${table}`}: ${blobs} files`),
    ),
  ).finally(show.end);
  if (options.json) terminal.out(`${JSON.stringify(report)}\n`);
  else
    terminal.out(
      [
        `${terminal.colors.green("✓")} ${file} was restored into a scratch database: every count and hash agrees.`,
        `  Made at ${report.createdAt} by version ${report.serviceVersion}, schema version ${report.schemaVersion}.`,
        `  ${report.rows} rows of ${report.tables} tables, ${report.blobs} files and logs.`,
        `  ${secretsLabels[report.secrets]}`,
        "",
      ].join("\n"),
    );
  failForMissing(report.missingBlobs, terminal);
};

const secretsLabels = {
  opened: "The master key opens its secrets.",
  no_secrets: "It has no secrets.",
  no_key: "No master key is here, so its secrets were not opened.",
  other_key: "The master key here is another one, so its secrets were not opened.",
} as const;

/** Restores a file and reports. */
export const restoreFile = async (file: string, options: FileOptions, terminal: Terminal): Promise<void> => {
  const passphrase = await passphraseOf(options);
  const config = configOf(terminal);
  const show = progressOf(options, terminal);
  const report = await sentenced(() =>
    backups.restore(config, {
      path: resolve(file),
      passphrase,
      onProgress: ({ stage, table, blobs }) =>
        show(`${stage}${table === undefined ? "" : ` ${table}`}: ${blobs} files`),
    }),
  ).finally(show.end);
  if (options.json) terminal.out(`${JSON.stringify(report)}\n`);
  else
    terminal.out(
      [
        `${terminal.colors.green("✓")} Restored into ${report.dataDir}${config.databaseUrl === null ? "" : " and the database of DATABASE_URL"}: ${report.rows} rows, ${report.blobs} files and logs${report.workspaceFiles === null ? "" : `, ${report.workspaceFiles} files of workspaces and homes`}, as of ${report.createdAt}.`,
        "  Agents are held, so that two copies never work at once. Stop the original, start this one with",
        "  `boardroom serve`, then release them with `boardroom system release-after-restore`.",
        "  Adapter packages are installed again with `boardroom adapters install`.",
        "",
      ].join("\n"),
    );
};

/** Puts the backup of the last upgrade back, and reports. */
export const rollBackUpgrade = async (options: CommonOptions, terminal: Terminal): Promise<void> => {
  const show = progressOf(options, terminal);
  const report = await sentenced(() =>
    backups.rollBack(configOf(terminal), ({ stage, table, blobs }) =>
      show(`${stage}${table === undefined ? "" : ` ${table}`}: ${blobs} files`),
    ),
  ).finally(show.end);
  if (options.json) terminal.out(`${JSON.stringify(report)}\n`);
  else
    terminal.out(
      [
        `${terminal.colors.green("✓")} ${report.dataDir} is as it was before the upgrade, at ${report.createdAt}: ${report.rows} rows, ${report.blobs} files and logs.`,
        `  What the upgrade had is in ${report.former}: delete it when you no longer need it.`,
        "  Start the service with `boardroom serve`, then release the agents with",
        "  `boardroom system release-after-restore`.",
        "",
      ].join("\n"),
    );
  failForMissing(report.missingBlobs, terminal);
};

const printLeftOut = (
  left: NonNullable<BackupReport["workspaces"]>["leftOut"] | undefined,
  { err }: Terminal,
): void => {
  if (left === undefined || left.count === 0) return;
  const more = left.count - left.names.length;
  err(
    [
      `Left out: ${left.count} of workspaces and homes:`,
      ...left.names.map((name) => `  ${name}`),
      ...(more === 0 ? [] : [`  and ${more} more`]),
      "",
    ].join("\n"),
  );
};

const failForMissing = (missing: readonly string[], terminal: Terminal): void => {
  if (missing.length === 0) return;
  terminal.err(
    `${terminal.colors.red("✗")} ${missing.length} files that the database names are missing in the store: the backup has all others. The first is ${missing[0]}.\n`,
  );
  throw new ExitWith(1);
};
