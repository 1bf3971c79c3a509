import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";

/** The input of the helper in a pod or container, as JSON in a file. */
export interface HelperSpec {
  readonly installation: InstallationId;
  readonly runId: string;
  readonly program: Omit<
    ProgramSpec,
    "cwd" | "files" | "reads" | "onInput" | "onStdoutLine" | "keepPace" | "onPipe"
  >;
  readonly cwd: string;
  /** Of the run; the helper adds PATH and the locale of the image, and applies the program's own variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly HelperFile[];
  /** Made for the program's user alone, whatever an earlier program has made of them. */
  readonly folders: readonly string[];
  /** The program's input stays open: it comes as messages. */
  readonly hasOpenInput: boolean;
  /** null: for work that is no run. */
  readonly fence: HelperFence | null;
}

export interface HelperFile {
  readonly path: string;
  readonly executable: boolean;
  readonly base64: string;
}

/** The helper ends itself when the run has ended or the service has not answered for so long. */
export interface HelperFence {
  readonly url: string;
  readonly token: string;
  readonly withinSec: number;
}

/** One line of the helper's output. Lines are numbered from 1; a missing number is a lost line. */
export interface Frame {
  readonly n: number;
  /** Its time on the helper's clock, in milliseconds: a reader that comes back asks from there. */
  readonly t: number;
  /**
   * o, e: output of the program, base64 in `d`. x: its end, in `x`. i: all messages up to number `i` have come; 0: its open
   * input can be written.
   */
  readonly s: "o" | "e" | "x" | "i";
  readonly d?: string;
  readonly i?: number;
  readonly x?: ProcessOutcome;
}

/**
 * One line for the helper's standard input. Messages are numbered from 1; the helper drops what it has, and what follows a
 * gap, so that all that is not confirmed can be sent again.
 */
export interface InputMessage {
  readonly n: number;
  /** Input of the program. */
  readonly text?: string;
  /** The end of that. */
  readonly end?: true;
  /** Whether the run waits for people, and how long it has so far: its limits stand still. */
  readonly waits?: { readonly isOpen: boolean; readonly totalMs: number };
}

/** Engines split lines at 16 KiB: base64 of this many bytes and the rest of a frame fit. */
export const maxFrameBytes = 11_000;

/** Returns null for a line that is no message, such as the half of one that a connection has lost. */
export const readMessage = (line: string): InputMessage | null => {
  if (!line.startsWith('{"n":')) return null;
  try {
    const message = JSON.parse(line) as InputMessage;
    return typeof message.n === "number" ? message : null;
  } catch {
    return null;
  }
};

/** Returns null for a line that is no frame, such as a message of the engine. */
export const readFrame = (line: string): Frame | null => {
  if (!line.startsWith('{"n":')) return null;
  try {
    const frame = JSON.parse(line) as Frame;
    return typeof frame.n === "number" && typeof frame.s === "string" ? frame : null;
  } catch {
    return null;
  }
};
