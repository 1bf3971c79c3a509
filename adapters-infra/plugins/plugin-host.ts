import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import { giveUpFirst, residentMb } from "./child-memory.ts";
import { type HostCall, hostCall } from "./host-call.ts";
import { messageLines } from "./message-lines.ts";
import { messageOf, oneLine } from "./plain-text.ts";
import { hostProgram, maxMessageBytes } from "./plugin-host-program.ts";
import { type PluginManifest, PluginRefusal } from "./plugin-manifest.ts";

/** A stranger's code in a process of its own: however it crashes, loops or stalls, the service goes on. */
export interface PluginHost {
  /** What it exports, unchecked. */
  readonly opened: OpenedPackage;
  /** An `execute` may take as long as it works or its programs do; anything else has `limitMs`. */
  call(method: string, asked: Asked): Promise<unknown>;
  /** False when it has died. */
  isThere(): boolean;
  /** Whether it has said anything since. */
  hasSpokenSince(moment: number): boolean;
  /** Ends it as soon as what it is doing is done. */
  retire(): void;
  /** Ends it now. */
  end(why?: string): void;
  readonly gone: Promise<void>;
}

export interface Asked {
  readonly context?: object;
  readonly more?: readonly unknown[];
  readonly limitMs?: number;
}

export interface OpenedPackage {
  readonly exported: {
    readonly root: Readonly<Record<string, unknown>>;
    readonly creates: boolean;
    readonly adapter: Readonly<Record<string, unknown>> | null;
  };
  readonly methods: readonly string[];
  readonly codec: readonly string[];
}

export interface HostOptions {
  /** The whole environment of the process, but for its mark. */
  readonly env: Readonly<Record<string, string>>;
  /** Whom it runs as; default: the service's own user. */
  readonly user?: AgentUser;
  /** Makes the mark by which a host, and what it starts, is found when its service has died. */
  readonly mark?: () => string;
  /** Ends what still carries the mark of a host that is gone. */
  readonly endMarked?: (mark: string) => void;
}

const openMs = 10_000;
/** Of what is not a run: longer than the environment test of any adapter. */
const usualLimitMs = 100_000;
const askEveryMs = 3_000;
/** Questions whether it is there that it may leave open: longer than a slow machine needs. */
const maxUnanswered = 5;
/** Of what it has not taken in yet. */
const maxBacklogBytes = 64 * 1024 * 1024;
/** Beyond this a program's output waits for it. */
const aheadBytes = 1024 * 1024;
/** Calls back that the service works on at a time, and what they hold; beyond it the host is not listened to. */
const maxCallBacks = 64;
const maxCallBackChars = 16 * 1024 * 1024;
const maxHeapMb = 512;
/** Of all it holds, buffers outside of the heap too; looked at as often as it is asked whether it is there. */
const maxResidentMb = 1024;

/** Starts a host and opens the package in it. */
export const openHost = async (manifest: PluginManifest, options: HostOptions): Promise<PluginHost> => {
  const { env, user, mark = () => "adapter-host", endMarked = () => undefined } = options;
  if (user !== undefined && process.getuid?.() !== 0)
    throw new PluginRefusal(
      "SERVICE_AGENT_UID is set, but the service does not run as root. Start it as root, or unset the variable.",
    );
  const ownMark = mark();
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${maxHeapMb}`, "--input-type=module", "--eval", hostProgram],
    {
      cwd: manifest.directory,
      env: { ...env, SERVICE_RUN_ID: ownMark },
      // The conversation, and a line on which nothing is ever said: its end tells that the service is gone.
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      // A session of its own: signals reach it and what it starts together.
      detached: true,
      ...user,
    },
  );
  giveUpFirst(child);
  const host = conversation(child, manifest.packageName, () => endMarked(ownMark));
  try {
    const opened = await host.call("open", {
      context: { entry: pathToFileURL(manifest.entry).href },
      limitMs: openMs,
    });
    return { ...host, opened: opened as OpenedPackage };
  } catch (error) {
    host.end();
    const message = messageOf(error);
    if (user !== undefined && /EACCES|EPERM/.test(message))
      throw new PluginRefusal(
        `${message.replace(/\.$/, "")}. Adapters run as uid ${user.uid} (SERVICE_AGENT_UID), which must be able to read ${manifest.directory}: give it access (chmod -R o+rX, and o+x on the folders above), or move the folder.`,
      );
    throw error;
  }
};

const conversation = (child: ChildProcess, name: string, onGone: () => void): Omit<PluginHost, "opened"> => {
  const channel = child.stdio[3] as Socket;
  const lifeline = child.stdio[4] as Socket;
  const calls = new Map<number, HostCall>();
  let number = 0;
  let callBacks = 0;
  let callBackChars = 0;
  let isFull = false;
  let isBreathing = false;
  let unanswered = 0;
  let spokeAt = performance.now();
  let ended: string | null = null;
  let retired = false;
  let saidLast = "";
  let tellGone = () => {};
  const gone = new Promise<void>((resolve) => {
    tellGone = resolve;
  });

  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
    child.kill("SIGKILL");
  };
  const fail = (why: string) => {
    if (ended !== null) return;
    ended = `The process of ${name} ${why}.`;
    clearInterval(asking);
    kill();
    for (const stream of [channel, lifeline, child.stderr]) stream?.destroy();
    for (const call of calls.values()) call.reject(new Error(ended));
    calls.clear();
    onGone();
    tellGone();
  };
  const leaveIfDone = () => {
    if (retired && calls.size === 0) fail("was retired");
  };
  const send = (message: object) => {
    if (ended !== null) return;
    channel.write(`${JSON.stringify(message)}\n`);
    if (channel.writableLength > maxBacklogBytes) fail("did not take in what it was told");
  };
  const keepPace = () =>
    ended === null && channel.writableLength > aheadBytes
      ? new Promise<void>((resolve) => {
          channel.once("drain", resolve);
          channel.once("close", resolve);
        })
      : undefined;

  const listen = () => {
    if (isFull || isBreathing) channel.pause();
    else channel.resume();
  };
  /** A piece at a time: one that talks without end does not keep everybody else waiting. */
  const breathe = () => {
    isBreathing = true;
    listen();
    setImmediate(() => {
      isBreathing = false;
      listen();
    });
  };
  const attend = (chars: number) => {
    callBacks += Math.sign(chars);
    callBackChars += chars;
    if (callBacks >= maxCallBacks || callBackChars >= maxCallBackChars) isFull = true;
    else if (callBacks < maxCallBacks / 2 && callBackChars < maxCallBackChars / 2) isFull = false;
    listen();
  };
  const callBack = async (
    {
      of,
      name: functionName,
      seq,
      args,
    }: { of: number; name: string; seq: number; args: readonly unknown[] },
    chars: number,
  ) => {
    const call = calls.get(of);
    // A program may run for as long as the call does, so that the others do not wait for it.
    const isProgram = functionName === "runProcess";
    if (!isProgram) attend(chars);
    try {
      if (call === undefined) throw new Error(`There is no ${functionName} now: that call has ended.`);
      send({ seq, value: (await call.callBack(functionName, args)) ?? null });
    } catch (error) {
      send({ seq, error: messageOf(error) });
    } finally {
      if (!isProgram) attend(-chars);
    }
  };

  const hear = (line: string) => {
    if (ended !== null) return;
    unanswered = 0;
    spokeAt = performance.now();
    const message = parsed(line);
    const { of, name: functionName, args, seq, id, pong, value, error } = message ?? {};
    if (typeof of === "number" && typeof functionName === "string" && typeof seq === "number")
      void callBack({ of, name: functionName, seq, args: Array.isArray(args) ? args : [] }, line.length);
    else if (typeof id === "number") {
      const call = calls.get(id);
      if (call === undefined) return;
      calls.delete(id);
      if (error !== undefined) call.reject(new Error(oneLine(String(error), 1000)));
      else call.resolve(value ?? null);
      leaveIfDone();
    } else if (pong !== true) fail("said something that is no message");
  };

  const take = messageLines(maxMessageBytes, hear);
  channel.on("data", (chunk: Buffer) => {
    breathe();
    if (!take(chunk)) fail(`said more than ${maxMessageBytes / 1024 / 1024} MiB at once`);
  });
  // How it ended is told by its exit; one that only stops talking is ended.
  channel.on("error", () => {});
  channel.on("end", () => setTimeout(() => fail("ended the conversation"), 500).unref());
  lifeline.on("error", () => {});
  child.stderr?.on("data", (chunk: Buffer) => {
    saidLast = `${saidLast}${chunk}`.slice(-2000);
  });
  child.stderr?.on("error", () => {});
  child.on("error", (error) => fail(`could not be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    const last = lastWords(saidLast);
    fail(`ended with ${signal ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`);
  });

  /** Gives up a call that neither works nor ends; what else the host does is done to its end. */
  const giveUp = () => {
    for (const [id, call] of calls) {
      const why = call.overdue(performance.now());
      if (why === null) continue;
      calls.delete(id);
      call.giveUp(why);
      retired = true;
    }
    leaveIfDone();
  };
  const asking = setInterval(() => {
    giveUp();
    if (residentMb(child) > maxResidentMb) fail(`took more than ${maxResidentMb} MiB of memory`);
    if (ended !== null || isFull) return;
    unanswered += 1;
    if (unanswered > maxUnanswered) fail("was stuck and has been ended");
    else send({ ping: true });
  }, askEveryMs);
  asking.unref();
  child.unref();
  for (const stream of [channel, lifeline, child.stderr as Socket]) stream.unref();

  return {
    gone,
    isThere: () => ended === null && !retired,
    hasSpokenSince: (moment) => spokeAt > moment,
    end: (why = "was ended") => fail(why),
    retire: () => {
      retired = true;
      leaveIfDone();
    },
    call: (method, { context = {}, more = [], limitMs = usualLimitMs }) =>
      new Promise((resolve, reject) => {
        if (ended !== null) return reject(new Error(ended));
        number += 1;
        const id = number;
        const call = hostCall(context, {
          limitMs: method === "execute" ? null : limitMs,
          resolve,
          reject,
          keepPace,
          send: (message) => send({ of: id, ...message }),
          abort: () => send({ abort: id }),
        });
        calls.set(id, call);
        send({ id, method, context: call.values, functions: call.functions, more });
        call.begin();
        if (limitMs === undefined || method === "execute") return;
        const timer = setTimeout(() => {
          if (!calls.delete(id)) return;
          reject(new Error(`The process of ${name} gave no answer in ${limitMs / 1000} seconds.`));
          leaveIfDone();
        }, limitMs);
        call.settled.finally(() => clearTimeout(timer));
      }),
  };
};

const parsed = (line: string): Readonly<Record<string, unknown>> | null => {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null ? (message as Record<string, unknown>) : null;
  } catch {
    return null;
  }
};

/** Of what Node prints of an error, the line that says which; else the last. */
const lastWords = (said: string): string => {
  const lines = said.split("\n").filter((line) => /\S/.test(line) && !/^Node\.js v/.test(line));
  return oneLine(
    lines.findLast((line) => /^(?:\w*Error|FATAL ERROR)\b/.test(line)) ?? lines.at(-1) ?? "",
    300,
  );
};
