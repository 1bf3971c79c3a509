import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Writable } from "node:stream";
import type { DownloadedFile } from "../api/endpoint.ts";
import { UsageError } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** Before a person is told that something goes on. */
const patienceMs = 1_000;
const repaintMs = 200;

/** Saves a file to a path, whole or not at all, or passes it on to standard output. */
export const save = async (
  file: DownloadedFile,
  output: string | undefined,
  terminal: Terminal,
): Promise<void> => {
  if (output === undefined && terminal.width !== null) {
    await file.body.cancel();
    throw new UsageError(`Give --output <path>${file.filename === null ? "" : ` (it is ${file.filename})`}.`);
  }
  const watched = file.body.pipeThrough(progress(file.byteSize, terminal));
  if (output === undefined || output === "-") {
    await watched.pipeTo(Writable.toWeb(process.stdout), { preventClose: true });
    return;
  }
  const draft = `${output}.part`;
  try {
    await watched.pipeTo(Writable.toWeb(createWriteStream(draft)));
    await rename(draft, output);
  } catch (error) {
    await rm(draft, { force: true });
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new UsageError(`--output: there is no folder for ${output}.`);
    throw error;
  }
  terminal.err(terminal.colors.dim(`Saved ${output}.\n`));
};

/** Says how far it has come, to people who look on for longer. */
const progress = (total: number | null, terminal: Terminal): TransformStream<Uint8Array, Uint8Array> => {
  let [passed, painted] = [0, performance.now() + patienceMs - repaintMs];
  let isPainted = false;
  return new TransformStream({
    transform(chunk, controller) {
      passed += chunk.byteLength;
      if (terminal.width !== null && performance.now() - painted > repaintMs) {
        painted = performance.now();
        isPainted = true;
        const share = total === null ? "" : ` of ${mebibytes(total)}`;
        terminal.err(`\r${mebibytes(passed)}${share}`);
      }
      controller.enqueue(chunk);
    },
    flush() {
      if (isPainted) terminal.err("\r\u001b[K");
    },
  });
};

const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
