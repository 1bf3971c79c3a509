/**
 * Runs one UI parser in a worker, for the page that holds this frame. The frame has an origin of its own, and a policy
 * that lets nothing out (hosts/http/pages.ts). It ends a worker that takes too long or sent an unexpected message.
 */
declare const workerScript: string;

/** For one batch of lines. */
const limitMs = 500;
/** For a worker to begin: the browser's own work, and that of a busy machine. */
const beginMs = 10_000;

interface Asked {
  readonly lines: readonly object[];
  /** Characters that the answer may have. */
  readonly maxAnswer: number;
}

const open = (parser: string, port: MessagePort): void => {
  const script = [
    workerScript,
    '(function (exports, module) { "use strict";',
    parser,
    "\n})(exports, module);",
  ];
  const worker = new Worker(URL.createObjectURL(new Blob(script, { type: "text/javascript" })));
  let hasBegun = false;
  let asked: Asked | null = null;
  let timer: ReturnType<typeof setTimeout>;
  const end = (unusable: string): void => {
    worker.terminate();
    clearTimeout(timer);
    port.onmessage = () => port.postMessage({ unusable });
    if (asked !== null) port.postMessage({ unusable });
  };
  const limit = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => end("took too long"), ms);
  };
  worker.onerror = () => end("fails to load");
  worker.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!hasBegun && data === "begun") {
      hasBegun = true;
      clearTimeout(timer);
      if (asked !== null) limit(limitMs);
      return;
    }
    if (asked === null || typeof data !== "string") return end("sent an unexpected message");
    if (data.length > asked.maxAnswer) return end("returned too much");
    if (data === "") return end("doesn't export parseStdoutLine or createStdoutParser");
    clearTimeout(timer);
    asked = null;
    port.postMessage({ entries: data });
  };
  port.onmessage = ({ data }: MessageEvent<Asked>) => {
    asked = data;
    worker.postMessage(data.lines);
    if (hasBegun) limit(limitMs);
  };
  limit(beginMs);
};

addEventListener(
  "message",
  ({ data, ports: [port], source }) => {
    if (source === parent && port !== undefined) open(String(data), port);
  },
  { once: true },
);

export {};
