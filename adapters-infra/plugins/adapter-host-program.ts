/** The longest message between host and service: one JSON message a line. */
export const maxMessageBytes = 8 * 1024 * 1024;

/** The pipe of a ProgramSpec; it closes when the service dies. */
const pipeFd = 3;
const lifelineFd = 4;

/**
 * Runs in a thread of its own, so that it sees the service die even while the package's code spins: then it ends what
 * carries the host's run id, the host's process group, and the host.
 */
const watchdog = `
const fs = require("node:fs");
const net = require("node:net");
const { workerData: { mark } } = require("node:worker_threads");
const service = process.ppid;
const end = () => {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    let names = [];
    try { names = fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid)); } catch {}
    for (const name of names) {
      try {
        if (fs.readFileSync("/proc/" + name + "/environ", "latin1").includes("SERVICE_RUN_ID=" + mark)) process.kill(Number(name), "SIGKILL");
      } catch {}
    }
  }
  try { process.kill(-process.pid, "SIGKILL"); } catch {}
  process.kill(process.pid, "SIGKILL");
};
new net.Socket({ fd: ${lifelineFd}, readable: true, writable: false }).resume().on("end", end).on("error", end).on("close", end);
setInterval(() => { if (process.ppid !== service) end(); }, 1000);
`;

/**
 * The program of an adapter host, as text, because it must run from sources and from a bundle alike. At SIGTERM it asks
 * its calls to stop and exits once they have answered. The service's end is adapter-host.ts.
 */
export const hostProgram = `
import { accessSync, constants } from "node:fs";
import { Socket } from "node:net";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

process.umask(0o077);
const channel = new Socket({ fd: ${pipeFd} });
const stringify = JSON.stringify;
const parse = JSON.parse;
const write = channel.write.bind(channel);
/** False: longer than a message may be. */
const send = (message) => {
  const text = stringify(message);
  if (Buffer.byteLength(text) >= ${maxMessageBytes}) return false;
  write(text + "\\n");
  return true;
};
const tooLong = "It said more than ${maxMessageBytes / 1024 / 1024} MiB at once";
const controllers = new Map();
const waiting = new Map();
const lineReaders = new Map();
const inputTakers = new Map();
let adapter = null;
let seq = 0;

const watched = new Promise((resolve) => {
  const worker = new Worker(${JSON.stringify(watchdog)}, {
    eval: true, argv: [], execArgv: [], env: {}, workerData: { mark: process.env.SERVICE_RUN_ID },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  });
  worker.unref();
  worker.once("online", resolve).once("error", resolve);
});

const given = (of) => of !== null && typeof of === "object" ? of : {};
/** Finds the line of the package that an error comes from, because output of its code goes to no log. */
let folders = [];
const lineOf = (cause) => {
  const lines = String(given(cause).stack ?? "").split("\\n").flatMap((line) => folders.map((at) => line.split(at)[1]));
  // Evaluated code bears the name of the working directory.
  const found = lines.find((line) => /^(?!\\[eval).*:\\d+\\)?$/.test(line ?? ""));
  return found === undefined ? "" : " (" + found.replace(")", "") + ")";
};
/** Packages may throw any value, with or without a message. */
const messageOf = (cause) => {
  try { return String(cause && cause.message || cause).slice(0, 4000) + lineOf(cause); }
  catch { return "it threw something that is no error"; }
};
const hintOf = (message) =>
  /Unexpected token 'export'|import statement outside a module/.test(message) ? '. Say "type": "module" in its package.json'
  : /Unknown file extension "\\.[cm]?tsx?"/.test(message) ? ". Build it to JavaScript, and export that"
  : "";
const plain = ({ type, label, models, agentConfigurationDoc, agentSettableKeys, configSchema, keepsFiles }) =>
  ({ type, label, models, agentConfigurationDoc, agentSettableKeys, configSchema, keepsFiles });
const functionsOf = (of) => {
  const names = [];
  for (let at = given(of); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) if (typeof of[name] === "function") names.push(name);
  return names;
};

const open = async ({ entry, server, directory }) => {
  await watched;
  folders = [pathToFileURL(directory + "/").href, directory + "/"];
  try { accessSync(fileURLToPath(entry), constants.R_OK); }
  catch (cause) { throw new Error("Its code may not be read (" + cause.code + ")"); }
  let root;
  try {
    const module = await import(entry);
    // Of "module.exports = …" Node tells the names only where it can see them without running it.
    const { default: whole } = module;
    const isHidden = module.createServerAdapter === undefined && typeof given(whole).createServerAdapter === "function";
    root = isHidden ? whole : module;
  }
  catch (cause) { const message = messageOf(cause); throw new Error("Its code cannot be loaded: " + message + hintOf(message)); }
  let creates = typeof root.createServerAdapter === "function";
  if (creates) {
    try { adapter = await root.createServerAdapter(); }
    catch (cause) { throw new Error("createServerAdapter failed: " + messageOf(cause)); }
  } else if (server !== null && server !== entry) {
    // Packages of another product have the adapter's functions as exports of this module.
    let module;
    try { module = await import(server); }
    catch (cause) { throw new Error("Its ./server cannot be loaded: " + messageOf(cause)); }
    if (typeof module.execute !== "function" || typeof module.testEnvironment !== "function")
      throw new Error("It exports no createServerAdapter, and its ./server not both execute and testEnvironment");
    adapter = { ...plain(root), ...module, type: root.type, models: root.models };
    creates = true;
  }
  return {
    exported: { root: plain(root), creates, adapter: adapter && typeof adapter === "object" ? plain(adapter) : null },
    methods: functionsOf(adapter),
    codec: functionsOf(given(adapter).sessionCodec),
  };
};

const callBack = (id, name, args) => new Promise((resolve, reject) => {
  seq += 1;
  waiting.set(seq, { resolve, reject });
  if (send({ of: id, name, args, seq })) return;
  waiting.delete(seq);
  reject(new Error(tooLong));
});

/** Pieces far below the longest message; none ends within a character. */
const piecesOf = function* (text) {
  for (let at = 0, to = 0; at < text.length; at = to) {
    to = at + ${1024 * 1024};
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
    yield text.slice(at, to);
  }
};

const contextOf = ({ id, context, functions }) => {
  const controller = new AbortController();
  controllers.set(id, controller);
  const made = { ...context, signal: controller.signal };
  for (const name of functions) made[name] = (...args) => callBack(id, name, args);
  if (functions.includes("runProcess")) made.runProcess = async ({ onStdoutLine, onInput, ...spec }) => {
    seq += 1;
    const number = seq;
    const tell = (what, ...args) => void callBack(id, what + ":" + number, args).catch(() => {});
    if (typeof onStdoutLine === "function") {
      spec.lines = number;
      const heard = (isResult) => {
        if (isResult !== true || lineReaders.get(number) !== reader) return;
        lineReaders.set(number, onStdoutLine);
        tell("over");
      };
      const reader = (line) => {
        const outcome = onStdoutLine(line);
        if (outcome instanceof Promise) outcome.then(heard, () => {});
        else heard(outcome);
      };
      lineReaders.set(number, reader);
    }
    if (typeof onInput === "function") {
      spec.input = number;
      inputTakers.set(number, () => onInput({
        write: (text) => { for (const piece of piecesOf(String(text))) tell("write", piece); },
        end: () => tell("end"),
      }));
    }
    try { return await callBack(id, "runProcess", [spec]); }
    finally { lineReaders.delete(number); inputTakers.delete(number); }
  };
  return made;
};

const carriedOut = (message) => {
  const { method, more } = message;
  if (method === "open") return open(message.context);
  if (method.startsWith("sessionCodec.")) return adapter.sessionCodec[method.slice(13)](...more);
  return adapter[method](contextOf(message), ...more);
};

const receive = async (message) => {
  if (message.ping) return void send({ pong: true });
  if (message.abort !== undefined) return controllers.get(message.abort)?.abort();
  if (message.spec !== undefined) {
    try {
      if (message.line === undefined) inputTakers.get(message.spec)?.();
      else lineReaders.get(message.spec)?.(message.line);
    } catch {}
    return;
  }
  if (message.seq !== undefined) {
    const call = waiting.get(message.seq);
    waiting.delete(message.seq);
    if (message.error !== undefined) call?.reject(new Error(message.error));
    else call?.resolve(message.value);
    return;
  }
  const { id } = message;
  calls += 1;
  try {
    const value = await carriedOut(message);
    if (!send({ id, value: value === undefined ? null : value })) throw new Error(tooLong);
  } catch (error) {
    send({ id, error: messageOf(error) });
  } finally {
    controllers.delete(id);
    calls -= 1;
    leaveIfDone();
  }
};

let calls = 0;
let isLeaving = false;
const leaveIfDone = () => {
  if (isLeaving && calls === 0) channel.end(() => process.exit(0));
};
process.on("SIGTERM", () => {
  isLeaving = true;
  for (const controller of controllers.values()) controller.abort();
  leaveIfDone();
});

let rest = [];
channel.setEncoding("utf8");
channel.on("data", (chunk) => {
  const lines = chunk.split("\\n");
  if (lines.length === 1) return void rest.push(chunk);
  rest.push(lines[0]);
  lines[0] = rest.join("");
  rest = [lines.pop()];
  for (const line of lines) receive(parse(line));
});
// The watchdog ends more than this process; without one, this process must end itself.
for (const event of ["end", "close", "error"]) channel.on(event, () => setTimeout(() => process.exit(0), 3000));
`;
