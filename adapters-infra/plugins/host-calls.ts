import { type CallContext, type HostCall, hostCall } from "./host-call.ts";
import type { HostChannel, HostMessage } from "./host-channel.ts";
import { messageOf, oneLine } from "./plain-text.ts";

/** The arguments of a method of the adapter. */
export interface Asked {
  readonly context?: object;
  readonly more?: readonly unknown[];
  readonly limitMs?: number;
}

/** The open calls of an adapter host, and its calls back. */
export interface HostCalls {
  /** An `execute` has the time limit of its run; other methods have `limitMs`. */
  begin(method: string, asked: Asked): Promise<unknown>;
  /** Returns false for a message that belongs to no call. */
  receive(message: HostMessage, chars: number): boolean;
  /** Whether the host's open calls back have reached the limit. */
  isFull(): boolean;
  fail(error: Error): void;
}

/** Limit of a method other than `execute`: longer than the environment test of any adapter. */
const defaultLimitMs = 100_000;
/** Limit of calls back in progress and of their size; beyond it the service pauses reading from the host. */
const maxCallBacks = 64;
const maxCallBackChars = 16 * 1024 * 1024;

export const hostCalls = (
  packageName: string,
  channel: HostChannel,
  /** Called when a run has had its time, and when it has taken longer than it may. */
  { onOver, onOverdue }: Pick<CallContext, "onOver" | "onOverdue">,
): HostCalls => {
  const calls = new Map<number, HostCall>();
  let lastId = 0;
  const open = openCallBacks(channel);

  const callBack = async ({ of, name, seq, args }: CallBack, chars: number) => {
    // It may last as long as the call, so the others do not wait for it.
    const isCounted = name !== "runProcess";
    if (isCounted) open.count(chars);
    try {
      const call = calls.get(of);
      if (call === undefined) throw new Error(`${name} is not available: that call has ended.`);
      channel.send({ seq, value: (await call.callBack(name, args)) ?? null });
    } catch (error) {
      channel.send({ seq, error: messageOf(error) });
    } finally {
      if (isCounted) open.count(-chars);
    }
  };
  const answer = (id: number, { value, error }: HostMessage) => {
    const call = calls.get(id);
    if (call === undefined) return;
    calls.delete(id);
    if (error === undefined) call.resolve(value ?? null);
    else call.reject(new Error(oneLine(String(error), 1000)));
  };

  return {
    begin: (method, { context = {}, more = [], limitMs = defaultLimitMs }) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        const call = hostCall(context, {
          isRun: method === "execute",
          resolve,
          reject,
          keepPace: channel.keepPace,
          send: (message) => channel.send({ of: id, ...message }),
          abort: () => channel.send({ abort: id }),
          onOver,
          onOverdue: () => {
            calls.delete(id);
            onOverdue();
          },
        });
        calls.set(id, call);
        channel.send({ id, method, context: call.values, functions: call.functions, more });
        call.begin();
        if (method === "execute") return;
        const timer = setTimeout(() => {
          if (calls.delete(id))
            call.reject(
              new Error(`The process of ${packageName} gave no answer in ${limitMs / 1000} seconds.`),
            );
        }, limitMs);
        void call.finished.then(() => clearTimeout(timer));
      }),
    receive: (message, chars) => {
      const { of, name, args, seq, id } = message;
      if (typeof of === "number" && typeof name === "string" && typeof seq === "number")
        void callBack({ of, name, seq, args: Array.isArray(args) ? args : [] }, chars);
      else if (typeof id === "number") answer(id, message);
      else return false;
      return true;
    },
    isFull: open.isFull,
    fail: (error) => {
      for (const call of calls.values()) call.reject(error);
      calls.clear();
    },
  };
};

/** Counts the calls back in progress, and pauses the channel while they are too many. */
const openCallBacks = (channel: HostChannel) => {
  let callBacks = 0;
  let callBackChars = 0;
  let isFull = false;
  return {
    isFull: () => isFull,
    /** Negative: one of that size has ended. */
    count: (chars: number) => {
      callBacks += Math.sign(chars);
      callBackChars += chars;
      if (callBacks >= maxCallBacks || callBackChars >= maxCallBackChars) isFull = true;
      else if (callBacks < maxCallBacks / 2 && callBackChars < maxCallBackChars / 2) isFull = false;
      channel.hold(isFull);
    },
  };
};

interface CallBack {
  /** The call that owns the context. */
  readonly of: number;
  readonly name: string;
  readonly seq: number;
  readonly args: readonly unknown[];
}
