// Starts programs that outlive the service, and keeps what they have said until the service that conducts their run has
// ended it. A run has one owner: the connection that started its first program or has taken it over. Where the owner is
// gone, the next service has some time to take the run over; then its programs end, and this process with the last of them.
import { execFileSync, spawn } from "node:child_process";
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer, Socket } from "node:net";

/** The version of the protocol. A service with another one takes nothing over. */
const protocol = 1;
/** The maximum output of a run that is stored for the service that takes the run over. */
const keptBytes = 64 * 1024 * 1024;
const pieceBytes = 64 * 1024;
/** Of a line of a peer that has not shown the key. */
const greetingBytes = 1024;
const greetingMs = 5_000;
/** How long a supervisor without a service stays. */
const unusedMs = 30_000;
const scanMs = 25;

const quietly = (what) => {
  try {
    return what();
  } catch {
    return null;
  }
};

// Descriptors that the starter of the service passed on are not for programs.
for (const descriptor of process.argv.slice(2).map(Number)) quietly(() => closeSync(descriptor));
process.umask(0o077);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const { folder, name, key, sec, installation, guardPath } = JSON.parse(readFileSync(0, "utf8"));
const runs = new Map();
const tickets = new Map();
const owners = new Set();
let idle = null;

/** Removes the rules of the firewall that a service has made for this process's programs. */
const removeRules = () => {
  const owner = ` ${process.pid} ${startedAtOf(process.pid).startedAt}@`;
  const env = { PATH: `${guardPath}:/usr/sbin:/sbin` };
  for (const program of ["iptables", "ip6tables"])
    quietly(() => {
      const rules = execFileSync(program, ["-w", "-S", "OUTPUT"], { env, encoding: "utf8" })
        .split("\n")
        .filter((line) => line.includes("boardroom-service ") && line.includes(owner));
      const input = ["*filter", ...rules.map((line) => line.replace("-A", "-D")), "COMMIT", ""].join("\n");
      execFileSync(`${program}-restore`, ["-w", "--noflush"], { env, input });
    });
};

const leave = () => {
  quietly(() => unlinkSync(name));
  if (guardPath !== null) removeRules();
  process.exit(0);
};

/** Leaves when nobody can need it any more. */
const leaveIfUnused = () => {
  clearTimeout(idle);
  if (runs.size > 0 || owners.size > 0) return;
  idle = setTimeout(leave, 200);
};

/** The output of a program on one stream, from its first byte: in a file without a name, encrypted with a key of this process. */
class Tape {
  #run;
  #source;
  #file;
  #secret = randomBytes(32);
  #cipher = createCipheriv("aes-256-ctr", this.#secret, Buffer.alloc(16));
  #length = 0;
  #isOver = false;
  #consumer = null;
  lastOutputAt = performance.now();

  constructor(run, descriptor) {
    this.#run = run;
    const path = `${name}-${randomBytes(8).toString("hex")}`;
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    unlinkSync(path);
    this.#source = new Socket({ fd: descriptor, readable: true, writable: false });
    this.#source.on("data", (chunk) => this.#take(chunk));
    this.#source.on("error", () => {});
    this.#source.on("close", () => {
      this.#isOver = true;
      if (this.#consumer?.isCurrent) this.#consumer.socket.end();
    });
  }

  /** Sends the consumer everything from the first byte on, and then new output as it arrives. */
  feed(socket) {
    this.#consumer?.socket.destroy();
    const decipher = createDecipheriv("aes-256-ctr", this.#secret, Buffer.alloc(16));
    const consumer = { socket, at: 0, decipher, isCurrent: false };
    this.#consumer = consumer;
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#consumer !== consumer) return;
      this.#consumer = null;
      this.goOn();
    });
    socket.on("drain", () => this.#consumer === consumer && this.#catchUp(consumer));
    this.#source.pause();
    this.#catchUp(consumer);
  }

  /** Keeps reading where nothing consumes, until the limit of stored output is reached. */
  goOn() {
    if (this.#consumer === null)
      this.#run.keptBytes < keptBytes ? this.#source.resume() : this.#source.pause();
  }

  detach() {
    this.#consumer?.socket.destroy();
  }

  discard() {
    this.detach();
    this.#source.destroy();
    quietly(() => closeSync(this.#file));
    this.#file = null;
  }

  #take(chunk) {
    this.lastOutputAt = performance.now();
    if (this.#run.isWhole) this.#keep(chunk);
    const consumer = this.#consumer;
    if (consumer === null) return this.goOn();
    consumer.at += chunk.length;
    if (!consumer.socket.write(chunk)) this.#source.pause();
  }

  #keep(chunk) {
    this.#run.keptBytes += chunk.length;
    const isTooMuch = this.#run.keptBytes > keptBytes + pieceBytes * 4;
    const isKept =
      !isTooMuch && quietly(() => writeSync(this.#file, this.#cipher.update(chunk)) === chunk.length);
    if (isKept) this.#length += chunk.length;
    // Nobody can continue a run of which a part is missing.
    else this.#run.isWhole = false;
  }

  #catchUp(consumer) {
    while (consumer.at < this.#length && !consumer.isCurrent) {
      const piece = Buffer.alloc(Math.min(pieceBytes, this.#length - consumer.at));
      readSync(this.#file, piece, 0, piece.length, consumer.at);
      consumer.at += piece.length;
      if (!consumer.socket.write(consumer.decipher.update(piece))) return;
    }
    consumer.isCurrent = true;
    if (this.#isOver) consumer.socket.end();
    else this.#source.resume();
  }
}

const startedAtOf = (pid) => {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], parent: Number(fields[1]), session: Number(fields[3]), startedAt: fields[19] };
};

/** The live processes of a run: those that carry its id, its programs, and what both have started. */
const processesOf = (run) => {
  const all = new Map();
  for (const each of readdirSync("/proc")) {
    if (!/^\d+$/.test(each) || Number(each) === process.pid) continue;
    const found = startedAtOf(each);
    if (found !== null && found.state !== "Z") all.set(Number(each), found);
  }
  const roots = new Set(
    run.programs.filter(({ pid, startedAt }) => all.get(pid)?.startedAt === startedAt).map(({ pid }) => pid),
  );
  const members = new Set(roots);
  const marks = [`\0SERVICE_RUN_ID=${run.id}\0`, `\0SERVICE_INSTALLATION_ID=${installation}\0`];
  const isMarked = (pid) => {
    const environment = `\0${quietly(() => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? ""}`;
    return marks.every((mark) => environment.includes(mark));
  };
  for (const [pid, { session }] of all) if (roots.has(session) || isMarked(pid)) members.add(pid);
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const [pid, { parent }] of all) if (members.has(parent)) members.add(pid);
  }
  return members;
};

const isWrapper = (pid, { wrapper }) =>
  wrapper !== null && quietly(() => readlinkSync(`/proc/${pid}/exe`)) === wrapper;

/** Asks a run's processes to end, and ends them after the grace. */
const endRun = (run, graceSec) => {
  if (run.isEnding && graceSec > 0) return;
  run.isEnding = true;
  if (graceSec > 0)
    for (const pid of processesOf(run)) if (!isWrapper(pid, run)) quietly(() => process.kill(pid, "SIGTERM"));
  let emptyScans = 0;
  const kill = () => {
    if (run.group !== null) quietly(() => writeFileSync(run.group, "1", { flag: "r+" }));
    const members = processesOf(run);
    for (const pid of members) quietly(() => process.kill(pid, "SIGKILL"));
    emptyScans = members.size === 0 ? emptyScans + 1 : 0;
    if (emptyScans < 2) return void setTimeout(kill, scanMs);
    run.isEnding = false;
    if (run.isReleased) forget(run);
  };
  setTimeout(kill, graceSec * 1000);
};

const forget = (run) => {
  clearTimeout(run.timer);
  for (const { tapes } of run.programs) for (const tape of tapes) tape.discard();
  runs.delete(run.id);
  leaveIfUnused();
};

/** Ends the remaining programs of a run that no service continues, and forgets the run. */
const release = (run) => {
  run.isReleased = true;
  run.handoverState = null;
  endRun(run, 0);
};

/** Enforces the limits of a run without an owner, once a second, because the limits are whole seconds. */
const watch = (run) => {
  const now = performance.now();
  if (run.owner !== null) return;
  if (!run.isWhole || now >= run.ownerlessAt + sec * 1000) return release(run);
  for (const program of run.programs) {
    if (program.exit !== null || program.ended !== null) continue;
    const { startedMs, limits, tapes } = program;
    const lastOutputAt = Math.max(run.ownerlessAt, ...tapes.map((tape) => tape.lastOutputAt));
    if (now > startedMs + limits.timeoutSec * 1000) program.ended = "timed out";
    else if (limits.silenceSec !== null && now > lastOutputAt + limits.silenceSec * 1000)
      program.ended = "fell silent";
    if (program.ended !== null) endRun(run, limits.graceSec);
  }
  run.timer = setTimeout(watch, 1_000, run);
};

const disown = (connection) => {
  owners.delete(connection);
  for (const run of runs.values()) {
    if (run.owner !== connection) continue;
    run.owner = null;
    run.ownerlessAt = performance.now();
    for (const { tapes } of run.programs)
      for (const tape of tapes) {
        tape.detach();
        tape.goOn();
      }
    watch(run);
  }
  leaveIfUnused();
};

/** Opens the program's end of a stream, and this process's. */
const openEnds = ({ stdin, stdout, stderr }) => {
  const opened = [];
  const open = (path, flags) => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  const { O_RDWR, O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  try {
    // Held open meanwhile: without its other end a pipe cannot be opened, or ends at once.
    const paths = [stdin, stdout, stderr].filter((path) => path !== null);
    const held = paths.map((path) => open(path, O_RDWR | O_NONBLOCK));
    const sources = [stdout, stderr].map((path) => open(path, O_RDONLY | O_NONBLOCK));
    const input = stdin === null ? null : open(stdin, O_WRONLY | O_NONBLOCK);
    const stdio = [
      stdin === null ? "ignore" : open(stdin, O_RDONLY),
      open(stdout, O_WRONLY),
      open(stderr, O_WRONLY),
    ];
    return { held, sources, input, stdio };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  }
};

const closeAll = (descriptors) => {
  for (const descriptor of descriptors)
    if (typeof descriptor === "number") quietly(() => closeSync(descriptor));
};

/** A ticket for each stream of a program. A connection that shows it gets the stream. */
const ticketsOf = ({ tapes }) =>
  tapes.map((tape) => {
    const ticket = randomBytes(32).toString("hex");
    tickets.set(ticket, tape);
    return ticket;
  });

const runOf = (connection, { runId, handoverState, wrapper }) => {
  const known = runs.get(runId);
  if (known !== undefined) return known.owner === connection && !known.isReleased ? known : null;
  const fresh = {
    id: runId,
    owner: connection,
    handoverState,
    wrapper,
    programs: [],
    keptBytes: 0,
    isWhole: true,
  };
  const run = { ...fresh, group: null, isEnding: false, isReleased: false, ownerlessAt: 0, timer: null };
  runs.set(runId, run);
  return run;
};

const start = (connection, said) => {
  const { id, runId, order, limits, named } = said;
  const run = runOf(connection, said);
  if (run === null) return connection.say({ id, failed: "EBUSY" });
  let ends = null;
  let entrance = null;
  try {
    ends = openEnds(order.streams);
    if (order.entrance !== null) {
      entrance = openSync(order.entrance, "r+");
      run.group = order.entrance.replace(/\/programs\/cgroup\.procs$/, "/cgroup.kill");
    }
    const { command, args, cwd, env, user } = order;
    const stdio = [...ends.stdio, ...(entrance === null ? [] : [entrance])];
    const child = spawn(command, args, { cwd, env, detached: true, shell: false, stdio, ...user });
    child.on("error", (error) => connection.say({ id, failed: error.code ?? error.message }));
    if (child.pid === undefined) {
      closeAll([...ends.sources, ends.input]);
      if (run.programs.length === 0) forget(run);
      return;
    }
    const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
    const { startedAt } = startedAtOf(child.pid);
    const input =
      ends.input === null
        ? null
        : new Socket({ fd: ends.input, readable: false, writable: true }).on("error", () => {});
    const tapes = ends.sources.map((descriptor) => new Tape(run, descriptor));
    const program = { pid: child.pid, startedAt, stat, named, limits, tapes, input, exit: null, ended: null };
    Object.assign(program, { text: said.stdin, startedMs: performance.now() });
    const n = run.programs.push(program) - 1;
    child.once("exit", (code, signal) => {
      program.exit = { code, signal };
      run.owner?.say({ runId, n, exit: program.exit });
    });
    connection.say({ id, n, pid: child.pid, stat, tickets: ticketsOf(program) });
  } catch (error) {
    if (ends !== null) closeAll([...ends.sources, ends.input]);
    if (run.programs.length === 0) forget(run);
    connection.say({ id, failed: error.code ?? error.message });
  } finally {
    if (ends !== null) closeAll([...ends.held, ...ends.stdio]);
    closeAll([entrance]);
  }
};

const takeOver = (connection, { id, runId }) => {
  const run = runs.get(runId);
  if (run === undefined || run.owner !== null || run.isReleased || !run.isWhole)
    return connection.say({ id, failed: "ENOENT" });
  run.owner = connection;
  clearTimeout(run.timer);
  const now = performance.now();
  const programs = run.programs.map((program) => {
    const { pid, stat, named, exit, ended, startedMs } = program;
    return { pid, stat, named, exit, ended, ranMs: now - startedMs, tickets: ticketsOf(program) };
  });
  connection.say({ id, handoverState: run.handoverState, programs });
};

const isOrphaned = ({ owner, isReleased, isWhole }) => owner === null && !isReleased && isWhole;

const commands = {
  start,
  "take over": takeOver,
  list: (connection, { id }) =>
    connection.say({ id, runs: [...runs.values()].filter(isOrphaned).map((run) => run.id) }),
  feed: (connection, { runId, n }) => {
    const run = runs.get(runId);
    const program = run?.owner === connection ? run.programs[n] : undefined;
    // The earlier service may have sent the input already.
    if (program === undefined || program.text === null) return;
    program.input?.end(program.text);
    program.text = null;
  },
  /** The run has a program that no other service can adopt. The command has this name in protocol 1. */
  spoil: (connection, { runId }) => {
    const run = runs.get(runId);
    if (run?.owner === connection) run.isWhole = false;
  },
  /** The run has ended, and `isOver`: so have its programs. */
  release: (connection, { runId, isOver }) => {
    const run = runs.get(runId);
    if (run === undefined || (run.owner !== connection && run.owner !== null)) return;
    if (isOver) forget(run);
    else release(run);
  },
};

const proof = (who, one, other) =>
  createHmac("sha256", Buffer.from(key, "hex")).update(`${who} ${one} ${other}`).digest();
const isProof = (answer, expected) => {
  const given = Buffer.from(String(answer), "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
};

/** Reads the lines of a connection. Until the key has been shown, only a short line is accepted. */
const receive = (socket, onLine, limit) => {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (piece) => {
    text += piece;
    if (text.length > limit()) return void socket.destroy();
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
      const message = quietly(() => JSON.parse(line));
      const isHeard = () => {
        onLine(message);
        return true;
      };
      if (typeof message !== "object" || quietly(isHeard) === null) socket.destroy();
    }
  });
};

const accept = (socket) => {
  const nonce = randomBytes(32).toString("hex");
  let connection = null;
  const late = setTimeout(() => socket.destroy(), greetingMs);
  const greeted = (message) => {
    clearTimeout(late);
    const tape = tickets.get(message.ticket);
    if (tape !== undefined) {
      tickets.delete(message.ticket);
      socket.removeAllListeners("data");
      socket.resume();
      return tape.feed(socket);
    }
    if (!isProof(message.proof, proof("service", nonce, message.nonce))) return void socket.destroy();
    connection = { say: (message) => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`)) };
    owners.add(connection);
    clearTimeout(idle);
    connection.say({ proof: proof("supervisor", message.nonce, nonce).toString("hex") });
  };
  socket.on("error", () => {});
  socket.on("close", () => {
    clearTimeout(late);
    if (connection !== null) disown(connection);
  });
  receive(
    socket,
    (message) => (connection === null ? greeted(message) : commands[message.do](connection, message)),
    () => (connection === null ? greetingBytes : Number.POSITIVE_INFINITY),
  );
  socket.write(`${JSON.stringify({ protocol, nonce })}\n`);
};

// A socket's name is short; the path of the data directory need not be.
process.chdir(folder);
quietly(() => unlinkSync(name));
createServer(accept).listen(name);
idle = setTimeout(leave, unusedMs);
