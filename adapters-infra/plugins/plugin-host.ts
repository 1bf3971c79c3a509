import { type ChildProcess, spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import type { ExecuteContext, ProcessSpec, TestEnvironmentContext } from "../../ports/agent-adapter.ts";
import { hostProgram } from "./plugin-host-program.ts";
import type { PluginManifest } from "./plugin-manifest.ts";

/** A stranger's code in a process of its own: however it crashes, loops or stalls, the service goes on. */
export interface PluginHost {
  /** What it exports, unchecked. */
  readonly exported: unknown;
  readonly methods: readonly string[];
  call(method: string, context: object, ...more: readonly unknown[]): Promise<unknown>;
  /** False when it has died. */
  isThere(): boolean;
  /** Ends it as soon as what it is doing is done. */
  retire(): void;
  /** Ends it now. */
  end(): void;
}

export interface HostOptions {
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
}

const openMs = 10_000;
const askEveryMs = 3_000;
/** Questions whether it is there that it may leave open: longer than a slow machine needs. */
const maxUnanswered = 5;
/** Of what it has not taken in yet. */
const maxBacklogBytes = 64 * 1024 * 1024;
const maxHeapMb = 512;

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Call {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly functions: Functions;
}

interface FromHost {
  readonly pong?: true;
  readonly id?: number;
  readonly value?: unknown;
  readonly error?: string;
  /** A call back of a call's context. */
  readonly of?: number;
  readonly name?: string;
  readonly args?: readonly unknown[];
  readonly seq?: number;
}

/** Starts a host and opens the package in it. */
export const openHost = async (manifest: PluginManifest, options: HostOptions): Promise<PluginHost> => {
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${maxHeapMb}`, "--input-type=module", "--eval", hostProgram],
    {
      cwd: manifest.directory,
      env: { ...options.env },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "json",
    },
  );
  const host = conversation(child, manifest.packageName);
  const timer = setTimeout(() => host.fail(`gave no answer in ${openMs / 1000} seconds`), openMs);
  try {
    const opened = (await host.call("open", { entry: pathToFileURL(manifest.entry).href })) as {
      exported: unknown;
      methods: readonly string[];
    };
    return { ...opened, isThere: host.isThere, call: host.call, retire: host.retire, end: host.end };
  } catch (error) {
    host.end();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const conversation = (child: ChildProcess, name: string) => {
  const calls = new Map<number, Call>();
  let number = 0;
  let backlogBytes = 0;
  let unanswered = 0;
  let ended: string | null = null;
  let retired = false;
  let saidLast = "";

  const end = () => {
    child.kill("SIGKILL");
  };
  const fail = (why: string) => {
    if (ended !== null) return;
    ended = `The process of ${name} ${why}.`;
    clearInterval(asking);
    end();
    for (const { reject } of calls.values()) reject(new Error(ended));
    calls.clear();
  };
  const leaveIfDone = () => {
    if (retired && calls.size === 0) fail("was retired");
  };
  const send = (message: object) => {
    if (ended !== null || !child.connected) return;
    const bytes = JSON.stringify(message).length;
    backlogBytes += bytes;
    if (backlogBytes > maxBacklogBytes) return fail("did not take in what it was told");
    child.send(message, () => {
      backlogBytes -= bytes;
    });
  };

  const callBack = async ({ of, name: functionName = "", args = [], seq }: FromHost) => {
    const wanted = calls.get(of ?? -1)?.functions[functionName];
    try {
      if (wanted === undefined) throw new Error(`There is no ${functionName} now.`);
      send({ seq, value: await wanted(...(args as never[])) });
    } catch (error) {
      send({ seq, error: error instanceof Error ? error.message : String(error) });
    }
  };

  child.on("message", (message: FromHost) => {
    unanswered = 0;
    if (message.seq !== undefined) return void callBack(message);
    const call = calls.get(message.id ?? -1);
    if (call === undefined) return;
    calls.delete(message.id ?? -1);
    if (message.error !== undefined) call.reject(new Error(message.error));
    else call.resolve(message.value);
    leaveIfDone();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    saidLast = `${saidLast}${chunk}`.slice(-2000);
  });
  child.on("error", (error) => fail(`could not be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    const last = saidLast.trim().split("\n").at(-1) ?? "";
    fail(`ended with ${signal ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`);
  });
  const asking = setInterval(() => {
    unanswered += 1;
    if (unanswered > maxUnanswered) fail("was stuck and has been ended");
    else send({ ping: true });
  }, askEveryMs);
  asking.unref();
  child.unref();
  child.channel?.unref();

  return {
    fail,
    isThere: () => ended === null,
    end: () => fail("was ended"),
    retire: () => {
      retired = true;
      leaveIfDone();
    },
    call: (method: string, context: object, ...more: readonly unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (ended !== null) return reject(new Error(ended));
        number += 1;
        const id = number;
        const { values, functions, signal } = taken(context, (line) => send({ of: id, ...line }));
        calls.set(id, { resolve, reject, functions });
        signal?.addEventListener("abort", () => send({ abort: id }), { once: true });
        send({ id, method, context: values, functions: Object.keys(functions), more });
        if (signal?.aborted) send({ abort: id });
      }),
  };
};

/** A context as it crosses the border: values as JSON, functions by name. */
const taken = (context: object, sendLine: (line: { spec: number; line: string }) => void) => {
  const values: Record<string, unknown> = {};
  const functions: Record<string, (...args: never[]) => unknown> = {};
  let signal: AbortSignal | null = null;
  for (const [key, value] of Object.entries(context)) {
    if (value instanceof AbortSignal) signal = value;
    else if (typeof value !== "function") values[key] = value;
    else if (key === "runProcess")
      functions[key] = (spec: ProcessSpec & { lines?: number }) =>
        runProcess(value as TestEnvironmentContext["runProcess"], spec, functions, sendLine);
    else functions[key] = value as (...args: never[]) => unknown;
  }
  return { values, functions, signal };
};

/** Lines go over as they come; the word that one of them was the result comes back when it comes. */
const runProcess = (
  run: ExecuteContext["runProcess"],
  { lines, ...spec }: ProcessSpec & { lines?: number },
  functions: Record<string, (...args: never[]) => unknown>,
  sendLine: (line: { spec: number; line: string }) => void,
) => {
  if (lines === undefined) return run(spec);
  let over = false;
  functions[`over${lines}`] = () => {
    over = true;
  };
  return run({
    ...spec,
    onStdoutLine: (line) => {
      sendLine({ spec: lines, line });
      return over;
    },
  });
};
