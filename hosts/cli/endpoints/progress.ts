import type { Terminal } from "../terminal.ts";

/** How long a transfer lasts before its progress is shown. */
const patienceMs = 1_000;
const repaintMs = 200;

/** Says how far a file has come, to people who look on for longer. */
export interface Progress {
  /** So many bytes more have passed. */
  note(bytes: number): void;
  /** Takes the line away; whatever follows begins on an empty one. */
  end(): void;
}

export const progress = (totalBytes: number | null, terminal: Terminal): Progress => {
  let passed = 0;
  let painted = performance.now() + patienceMs - repaintMs;
  let isPainted = false;
  return {
    note: (bytes) => {
      passed += bytes;
      if (!terminal.repaints || performance.now() - painted <= repaintMs) return;
      painted = performance.now();
      isPainted = true;
      terminal.err(`\r${mebibytes(passed)}${totalBytes === null ? "" : ` of ${mebibytes(totalBytes)}`}`);
    },
    end: () => {
      if (isPainted) terminal.err("\r\u001b[K");
      isPainted = false;
    },
  };
};

/** The same file, whose reader is watched: it is read as it is sent. */
export const watched = (file: File, { note }: Progress): File => new WatchedFile(file, note);

class WatchedFile extends File {
  readonly #file: File;
  readonly #note: (bytes: number) => void;

  constructor(file: File, note: (bytes: number) => void) {
    super([file], file.name, { type: file.type });
    this.#file = file;
    this.#note = note;
  }

  override stream(): ReturnType<File["stream"]> {
    const noted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#note(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return this.#file.stream().pipeThrough(noted) as ReturnType<File["stream"]>;
  }
}

const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
