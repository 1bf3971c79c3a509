import type { Terminal } from "../terminal.ts";

/** How long a transfer lasts before its progress is shown. */
const patienceMs = 1_000;
const repaintMs = 200;

/** Shows the progress of a transfer that takes longer. */
export interface Progress {
  /** Counts transferred bytes. */
  add(bytes: number): void;
  /** Removes the line, so that the next output begins on an empty one. */
  end(): void;
}

export const progress = (totalBytes: number | null, terminal: Terminal): Progress => {
  let passed = 0;
  let painted = performance.now() + patienceMs - repaintMs;
  let isPainted = false;
  return {
    add: (bytes) => {
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

/** Wraps a file so that each read is counted: the file is read as it is sent. */
export const watched = (file: File, { add }: Progress): File => new WatchedFile(file, add);

class WatchedFile extends File {
  readonly #file: File;
  readonly #add: (bytes: number) => void;

  constructor(file: File, add: (bytes: number) => void) {
    super([file], file.name, { type: file.type });
    this.#file = file;
    this.#add = add;
  }

  override stream(): ReturnType<File["stream"]> {
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#add(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return this.#file.stream().pipeThrough(counted) as ReturnType<File["stream"]>;
  }
}

const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
