import type { DownloadedFile } from "../../api/endpoint/files.ts";
import { UsageError } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { progress } from "./progress.ts";

/** Saves a file to a path, whole or not at all, or writes it to standard output. */
export const save = async (
  file: DownloadedFile,
  output: string | undefined,
  terminal: Terminal,
): Promise<void> => {
  if (output === undefined && terminal.width !== null) {
    await file.body.cancel();
    throw new UsageError(`Give --output <path>${file.filename === null ? "" : ` (it is ${file.filename})`}.`);
  }
  // Help and completion load this file too, and need no files of their own.
  const { Writable } = await import("node:stream");
  const { add, end } = progress(file.byteSize, terminal);
  const watched = file.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        add(chunk.byteLength);
        controller.enqueue(chunk);
      },
    }),
  );
  if (output === undefined || output === "-") {
    await watched.pipeTo(Writable.toWeb(process.stdout), { preventClose: true }).finally(end);
    return;
  }
  const [{ createWriteStream }, { rename, rm }] = await Promise.all([
    import("node:fs"),
    import("node:fs/promises"),
  ]);
  const draft = `${output}.part`;
  try {
    await watched.pipeTo(Writable.toWeb(createWriteStream(draft))).finally(end);
    await rename(draft, output);
  } catch (error) {
    await rm(draft, { force: true });
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new UsageError(`--output: no folder exists for ${output}.`);
    throw error;
  }
  terminal.err(terminal.colors.dim(`Saved ${output}.\n`));
};
