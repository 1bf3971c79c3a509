import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import type { Terminal } from "../terminal.ts";
import { type BackupOptions, type FileOptions, passphraseFlag } from "./backup-options.ts";

/** `boardroom backup`, `boardroom backup verify <file>`, `boardroom restore <file>` and `boardroom upgrade rollback`. */
export const addBackup = (program: Command, terminal: Terminal): void => {
  addVerify(addMake(program, terminal), terminal);
  addRestore(program, terminal);
  addRollback(program, terminal);
};

const addMake = (program: Command, terminal: Terminal): Command => {
  return program
    .command("backup")
    .summary("Back up the database, files and skills while the service works")
    .description(
      [
        "Back up the database, all files and logs, skills, runner templates and the list of adapters into one file.",
        "The service may run meanwhile, or be stopped. Run it on the service's machine with the service's settings.",
        "The file holds no master key: keep that apart, or give --with-key and a passphrase.",
        "Exits 1 if a file of the database is missing in the store; the backup then has all others.",
      ].join("\n"),
    )
    .helpGroup("The service:")
    .option("--to <place>", "folder, or s3://bucket/prefix; `backups` in the data directory by default")
    .option("--with-key", "add the master key, encrypted by the passphrase")
    .option("--with-workspaces", "add workspaces and homes of agents on this machine")
    .option("--encrypt", "encrypt the whole file by the passphrase")
    .option(...passphraseFlag)
    .addHelpText(
      "after",
      "\nExamples:\n  boardroom backup --to /mnt/backups\n  boardroom backup --to s3://backups/boardroom --with-key --encrypt --passphrase-file /root/passphrase",
    )
    .action(async (_: unknown, command: Command) => {
      const { takeBackup } = await import("./take-backup.ts");
      await takeBackup(command.optsWithGlobals<BackupOptions>(), terminal);
    });
};

const addVerify = (backup: Command, terminal: Terminal): void => {
  backup
    .command("verify")
    .argument("<file>", "file of a backup")
    .summary("Restore a backup into a database that is deleted afterwards")
    .description(
      "Restore a backup into a database that is deleted afterwards, and compare all counts and hashes.\nWith the master key (of the data directory, the settings or the backup) it also opens a key of the secrets.",
    )
    .option(...passphraseFlag)
    .addHelpText(
      "after",
      "\nExample:\n  boardroom backup verify /mnt/backups/boardroom-20261123T020000.000Z-4f1c09ab.tar.gz",
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const { checkFile } = await import("./take-backup.ts");
      await checkFile(file, command.optsWithGlobals<FileOptions>(), terminal);
    });
};

const addRestore = (program: Command, terminal: Terminal): void => {
  program
    .command("restore")
    .argument("<file>", "file of a backup")
    .summary("Restore a backup into an empty data directory or database")
    .description(
      [
        "Restore a backup into the empty data directory that SERVICE_DATA_DIR names and, where DATABASE_URL is set, into",
        "that empty database; the backup may be of either kind, and of this or an older version.",
        "Put the master key at master.key of the data directory first, unless the backup was made --with-key.",
        "Agents start held, so that two copies never work at once: `boardroom system release-after-restore` releases them.",
      ].join("\n"),
    )
    .helpGroup("The service:")
    .option(...passphraseFlag)
    .addHelpText(
      "after",
      "\nExample:\n  SERVICE_DATA_DIR=/srv/boardroom boardroom restore boardroom-20261123T020000.000Z-4f1c09ab.tar.gz",
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const { restoreFile } = await import("./take-backup.ts");
      await restoreFile(file, command.optsWithGlobals<FileOptions>(), terminal);
    });
};

const addRollback = (program: Command, terminal: Terminal): void => {
  program
    .command("upgrade")
    .summary("Undo an upgrade of the service")
    .description(
      "Undo an upgrade of the service. An upgrade itself needs no command: the next start migrates the database.",
    )
    .helpGroup("The service:")
    .command("rollback")
    .summary("Put back the backup that the last upgrade made of the embedded database")
    .description(
      [
        "Put back the backup that the last upgrade made of the embedded database, with all files. Stop the service,",
        "install the former version, and run this with it. What was done since the upgrade moves to a folder of the data",
        "directory. Workspaces and homes of agents stay as they are; agents are held until you release them.",
      ].join("\n"),
    )
    .addHelpText("after", "\nExample:\n  boardroom upgrade rollback")
    .action(async (_: unknown, command: Command) => {
      const { rollBackUpgrade } = await import("./take-backup.ts");
      await rollBackUpgrade(command.optsWithGlobals<CommonOptions>(), terminal);
    });
};
