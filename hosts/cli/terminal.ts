import pc from "picocolors";
import { visibleCharacters, visibleText } from "../../core/model/shared/visible-text.ts";

/** The streams and environment of a command. Tests pass their own. */
export interface Terminal {
  /** Writes the answer and nothing else, so that it can be piped. */
  out(text: string): void;
  /** Writes notes and errors. */
  err(text: string): void;
  /** Reads all of standard input. */
  stdin(): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The number of columns; null if the output is not a terminal, and nothing is cut. */
  readonly width: number | null;
  /** True if notes may be overwritten: answer and notes both go to a terminal. */
  readonly repaints?: boolean;
  /** True if the process does nothing but the command, which may change its priority. */
  readonly isOwnProcess?: boolean;
  readonly colors: Colors;
  now(): Date;
}

export type Colors = ReturnType<typeof pc.createColors>;

/** The terminal of this process. It uses colour only on a terminal and without NO_COLOR. */
export const processTerminal = (): Terminal => {
  const isTty = process.stdout.isTTY === true;
  return {
    isOwnProcess: true,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    stdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("utf8");
    },
    env: process.env,
    width: isTty ? process.stdout.columns || 80 : null,
    repaints: isTty && process.stderr.isTTY === true,
    colors: pc.createColors(isTty && pc.isColorSupported),
    now: () => new Date(),
  };
};

const withoutEscapes = (text: string): string =>
  text
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g, "")
    .replace(/\r\n?/g, "\n");

/** Untrusted text without terminal escapes, as the page shows it: what could not be seen is spelled out. */
export const harmless = (text: string): string => visibleText(withoutEscapes(text));

/** Output of a program, likewise, with its long runs of blanks. */
export const harmlessOutput = (text: string): string => visibleCharacters(withoutEscapes(text));
