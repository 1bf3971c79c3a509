import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The files below the folders that hold the text. It is in no argument itself. */
export const filesWith = (text: string, folders: readonly string[]): readonly string[] =>
  spawnSync("grep", ["-rlsF", "-f", "-", "--", ...folders], { input: text, encoding: "utf8" })
    .stdout.split("\n")
    .filter((path) => path !== "");

/** The argument vectors of this machine's processes that hold the text. */
export const argumentsWith = (text: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        // It has ended.
        return [];
      }
    })
    .filter((args) => args.includes(text));
