import { type Config, readConfig } from "../../composition/config.ts";
import { SettingInvalid } from "../../composition/setting-invalid.ts";
import { backups } from "../../composition/wiring/backup.ts";
import { CommandFailed, UsageError } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import type { FileOptions } from "./backup-options.ts";

/** Between two lines of progress. */
const repaintMs = 200;

/** The settings of the service, on whose machine the command runs. */
export const configOf = ({ env }: Terminal): Config => {
  try {
    return readConfig(env);
  } catch (error) {
    if (error instanceof SettingInvalid) throw new CommandFailed(error.message, "setting_invalid");
    throw error;
  }
};

/** Failures that have a sentence for the operator are no defects. */
export const sentenced = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const sentence = backups.sentenceOf(error);
    if (sentence === null) throw error;
    throw new CommandFailed(sentence.message, sentence.code);
  }
};

export const passphraseOf = async ({ passphraseFile }: FileOptions): Promise<string | null> => {
  if (passphraseFile === undefined) return null;
  return backups.readPassphrase(passphraseFile, "--passphrase-file").catch((error: Error) => {
    throw new UsageError(error.message);
  });
};

/** A line that is painted over, on a terminal only. */
export const progressOf = ({ json, quiet }: FileOptions, { err, repaints, width, now }: Terminal) => {
  const isShown = repaints === true && json !== true && quiet !== true;
  let paintedAt = 0;
  const show = (text: string): void => {
    const at = now().getTime();
    if (!isShown || at - paintedAt < repaintMs) return;
    paintedAt = at;
    err(`\r\u001b[K${text.slice(0, (width ?? 80) - 1)}`);
  };
  return Object.assign(show, {
    end: () => {
      if (paintedAt > 0) err("\r\u001b[K");
    },
  });
};

export const sizeOf = (bytes: number): string => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** at;
  return `${at === 0 ? size : size.toFixed(1)} ${units[at]}`;
};
