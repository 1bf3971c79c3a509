import type { ProgramInput } from "../../ports/agent-adapter.ts";
import { maxUnreadBytes } from "../local/program-input.ts";
import { pause } from "./follow-log.ts";
import type { InputMessage } from "./protocol.ts";
import { RefusedByEngine } from "./refused.ts";

/** Connects to the standard input of process 1 of one workload. The signal ends the attempt, not the connection. */
export type OpenPipe = (signal: AbortSignal) => Promise<InputPipe>;

/** A connection. What it has taken may be lost when it breaks. */
export interface InputPipe {
  write(text: string): void;
  onClose(listener: () => void): void;
  destroy(): void;
}

const againMs = 500;
/** A connection over which nothing is confirmed for so long may be dead. */
const silentMs = 10_000;
/** An engine that has just started refuses everything. */
const refusedMs = 10_000;

/**
 * Sends messages to a helper, each once and in order, over as many connections as it takes. Keeps what the helper has not
 * confirmed, and has no connection before the first message.
 */
export class InputChannel {
  /** Not confirmed yet. */
  readonly #messages: { readonly n: number; readonly line: string }[] = [];
  #last = 0;
  #unreadBytes = 0;
  #confirmedAt = 0;
  #pipe: InputPipe | null = null;
  #wake = () => {};

  /** Whether more waits for the program than may. */
  get isUnread(): boolean {
    return this.#unreadBytes > maxUnreadBytes;
  }

  readonly input: ProgramInput = {
    write: (text) => this.send({ text }),
    end: () => this.send({ end: true }),
  };

  send(message: Omit<InputMessage, "n">): void {
    if (this.isUnread) return;
    this.#last += 1;
    const line = `${JSON.stringify({ n: this.#last, ...message })}\n`;
    if (this.#messages.length === 0) this.#confirmedAt = performance.now();
    this.#messages.push({ n: this.#last, line });
    this.#unreadBytes += line.length;
    this.#pipe?.write(line);
    this.#wake();
  }

  /** The helper has all messages up to this one. */
  confirm(upTo: number): void {
    this.#confirmedAt = performance.now();
    while (this.#messages[0] !== undefined && this.#messages[0].n <= upTo)
      this.#unreadBytes -= this.#messages.shift()?.line.length ?? 0;
  }

  /** Delivers until `over` fires. Returns the engine's sentence where it continues to refuse. */
  async deliver(open: OpenPipe, over: AbortSignal): Promise<string | null> {
    let refusedSince: number | null = null;
    while (!over.aborted) {
      if (this.#messages.length === 0) {
        await this.#nextMessage(over);
        continue;
      }
      try {
        await this.#deliverOver(await open(AbortSignal.any([over, AbortSignal.timeout(silentMs)])), over);
        refusedSince = null;
      } catch (error) {
        // Anything else is the connection.
        if (error instanceof RefusedByEngine) {
          refusedSince ??= performance.now();
          if (!error.passing && performance.now() - refusedSince > refusedMs) return error.message;
        }
      }
      await pause(againMs, over);
    }
    return null;
  }

  async #deliverOver(pipe: InputPipe, over: AbortSignal): Promise<void> {
    const broken = new AbortController();
    pipe.onClose(() => broken.abort());
    // The beginning ends what an earlier connection has left half.
    pipe.write(`\n${this.#messages.map(({ line }) => line).join("")}`);
    this.#pipe = pipe;
    this.#confirmedAt = performance.now();
    const end = AbortSignal.any([over, broken.signal]);
    try {
      while (!end.aborted) {
        if (this.#messages.length === 0) await this.#nextMessage(end);
        else await pause(againMs, end);
        if (this.#messages.length > 0 && performance.now() - this.#confirmedAt > silentMs) return;
      }
    } finally {
      this.#pipe = null;
      pipe.destroy();
    }
  }

  #nextMessage(over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        over.removeEventListener("abort", done);
        resolve();
      };
      this.#wake = done;
      over.addEventListener("abort", done, { once: true });
      if (over.aborted) done();
    });
  }
}
