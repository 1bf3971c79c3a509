import { execFile } from "node:child_process";
import { chownSync, closeSync, constants, openSync, rmSync, unlinkSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import { attempt } from "./attempt.ts";
import { streamFolders } from "./orphaned-folders.ts";
import { outputOfPipe, type ProgramOutput } from "./program-output.ts";

/** The paths by which the starter of a program opens the program's ends; null: it gets no input. */
export interface StreamPaths {
  readonly stdin: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The input and the outputs of a program, which it may open again by name, as `/dev/stderr`. */
export interface ProgramStreams {
  readonly paths: StreamPaths;
  /** Opens the service's ends, once the program's are open. */
  connect(): {
    readonly stdin: Socket | null;
    readonly stdout: ProgramOutput;
    readonly stderr: ProgramOutput;
  };
  /** Closes what is not connected. */
  release(): void;
}

/**
 * Makes streams that only this user may open again. They are named pipes, because Node connects its children by sockets,
 * which the kernel lets nobody open by name. Each is used once: another program could have kept a used one open. null: the system has no mkfifo, as some images.
 */
export const programStreams = async (
  user: AgentUser | null,
  hasInput: boolean,
): Promise<ProgramStreams | null> => {
  const pipes = await takePipes(hasInput ? 3 : 2).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === "spawn mkfifo") return null;
    throw error;
  });
  if (pipes === null) return null;
  const [stdout = "", stderr = "", stdin = null] = pipes;
  const paths = { stdin, stdout, stderr };
  const names = [paths.stdin, paths.stdout, paths.stderr].flatMap((path) => path ?? []);
  const opened = new Set<number>();
  const open = (path: string, flags: number) => {
    const descriptor = openSync(path, flags | constants.O_NONBLOCK);
    opened.add(descriptor);
    return descriptor;
  };
  const close = (descriptor: number) => {
    if (opened.delete(descriptor)) closeSync(descriptor);
  };
  const release = () => {
    for (const descriptor of opened) close(descriptor);
    for (const name of names.splice(0)) attempt(() => unlinkSync(name));
  };
  try {
    if (user !== null && user.uid !== process.getuid?.())
      for (const name of names) chownSync(name, user.uid, user.gid);
    // Without a writer the program would read the end of its input at once, and without a reader it could write nothing.
    const bothEnds = paths.stdin === null ? null : open(paths.stdin, constants.O_RDWR);
    const input = paths.stdin === null ? null : open(paths.stdin, constants.O_WRONLY);
    const outputs = [paths.stdout, paths.stderr].map((path) => open(path, constants.O_RDONLY));
    const handOver = (descriptor: number) => {
      opened.delete(descriptor);
      return descriptor;
    };
    return {
      paths,
      connect: () => {
        if (bothEnds !== null) close(bothEnds);
        const [stdout, stderr] = outputs.map((each) => outputOfPipe(handOver(each))) as [
          ProgramOutput,
          ProgramOutput,
        ];
        const stdin =
          input === null ? null : new Socket({ fd: handOver(input), readable: false, writable: true });
        release();
        return { stdin, stdout, stderr };
      },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
};

/** Opens a program's end of a stream: never waits for the service's, which may have died. */
export const programEnd = (path: string, flags: number): number => {
  const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    return openSync(path, flags);
  } finally {
    closeSync(both);
  }
};

/**
 * Pipes are made so many at a time, by a program of the system, because Node makes none. To start it takes the service's
 * thread: 4 % of a run with 60 at a time, 2 % with 240. The first run of a service waits for them: 960 took half a second
 * of processor time on a disk.
 */
const batches = [60, 240, 960];
const few = 24;

const ready: string[] = [];
let folder: string | null = null;
let made = 0;
let making: Promise<void> | null = null;

const takePipes = async (count: number): Promise<readonly string[]> => {
  const pipes: string[] = [];
  while (pipes.length < count) pipes.push(await takePipe());
  return pipes;
};

const takePipe = async (): Promise<string> => {
  for (;;) {
    if (ready.length < few && making === null) {
      making = makePipes();
      // A caller that finds none ready waits for it, and fails with it.
      making.catch(() => {});
    }
    const pipe = ready.pop();
    if (pipe !== undefined) return pipe;
    await making;
  }
};

const makePipes = async (): Promise<void> => {
  try {
    folder ??= await makeFolder();
    const count = batches.find((size) => made < size) ?? batches.at(-1)!;
    const names = Array.from({ length: count }, () => join(folder!, `${++made}`));
    const env = { PATH: `${process.env.PATH ?? ""}:/usr/bin:/bin` };
    await promisify(execFile)("mkfifo", ["-m", "600", "--", ...names], { env });
    ready.push(...names);
  } finally {
    making = null;
  }
};

/** Makes a folder named after this process. */
const makeFolder = async (): Promise<string> => {
  const own = await mkdtemp(join(tmpdir(), `${await streamFolders()}${process.pid}-`));
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
};
