import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { basename, dirname } from "node:path";
import type { NotSpawned, SpawnOrder } from "./spawner.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that its supervisor has started, for this service or one before it. */
export interface SupervisedProgram {
  readonly pid: number;
  /** Its line of the process table at its start. */
  readonly stat: string;
  /** How long it had run when this service got it. */
  readonly ranMs: number;
  /** How it ended before this service got it; null: it had not. */
  readonly exit: Exit | null;
  /** The limit for which the supervisor ended it, while it had no service. */
  readonly ended: "timed out" | "fell silent" | null;
  /** All that it has said, from its first byte. */
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** null: its supervisor has ended before it, or has given it to another service. */
  readonly exited: Promise<Exit | null>;
  /** Writes its input, once. */
  feed(): void;
}

export interface HoldOrder {
  readonly runId: string;
  /** JSON, for the service that takes the run over; kept of the first program. */
  readonly handoverState: string;
  /** The executable that wraps isolated programs; null: none. */
  readonly wrapper: string | null;
  readonly order: SpawnOrder;
  /** Its whole input. */
  readonly stdin: string;
  /** The command as its adapter has named it. */
  readonly named: string;
  readonly limits: {
    readonly timeoutSec: number;
    readonly graceSec: number;
    readonly silenceSec: number | null;
  };
}

/** A run whose programs a service takes over. */
export interface AdoptedRun {
  readonly handoverState: string;
  /** In the order of their start. */
  readonly programs: readonly (SupervisedProgram & { readonly named: string })[];
}

const protocol = 1;
const answerMs = 10_000;
const greetingBytes = 1024;

type SupervisorMessage = Readonly<Record<string, unknown>>;

/** The path of a socket in a folder of any length; a socket's own path must be short. */
const throughFolder = <A>(address: string, use: (path: string) => A): A => {
  const folder = openSync(dirname(address), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return use(`/proc/self/fd/${folder}/${basename(address)}`);
  } finally {
    closeSync(folder);
  }
};

/** Connects and reads the greeting. What comes after it stays in the socket. */
const greeted = (address: string): Promise<{ readonly socket: Socket; readonly nonce: string }> =>
  new Promise((resolve, reject) => {
    const socket = throughFolder(address, (path) => connect(path));
    const late = setTimeout(() => fail(new Error("The supervisor does not answer.")), answerMs);
    const fail = (error: Error) => {
      clearTimeout(late);
      socket.destroy();
      reject(error);
    };
    let text = Buffer.alloc(0);
    const receive = () => {
      for (let piece = socket.read(); piece !== null; piece = socket.read()) {
        text = Buffer.concat([text, piece]);
        const end = text.indexOf(10);
        if (end < 0 && text.length < greetingBytes) continue;
        socket.off("readable", receive);
        const answer = asMessage(text.toString("utf8", 0, Math.max(0, end)));
        if (answer?.protocol !== protocol || typeof answer.nonce !== "string")
          return fail(new Error("The supervisor is of another version."));
        clearTimeout(late);
        socket.off("close", ended);
        if (text.length > end + 1) socket.unshift(text.subarray(end + 1));
        return resolve({ socket, nonce: answer.nonce });
      }
    };
    const ended = () => fail(new Error("The supervisor has ended."));
    socket.on("readable", receive);
    socket.once("close", ended);
    socket.on("error", fail);
  });

const asMessage = (line: string): SupervisorMessage | null => {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null ? (message as SupervisorMessage) : null;
  } catch {
    return null;
  }
};

/**
 * A connection to a supervisor, whose ends have shown each other the key: an agent that could make a socket there could
 * neither give orders nor invent a run.
 */
export class SupervisorConnection {
  readonly #socket: Socket;
  readonly #address: string;
  readonly #answers = new Map<number, (answer: SupervisorMessage | null) => void>();
  readonly #exits = new Map<string, (exit: Exit | null) => void>();
  #lastId = 0;
  hasEnded = false;

  private constructor(address: string, socket: Socket) {
    this.#address = address;
    this.#socket = socket;
    socket.setEncoding("utf8");
    let text = "";
    socket.on("data", (piece) => {
      const lines = (text + piece).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) this.#receive(asMessage(line));
    });
    socket.on("close", () => this.#end());
    socket.unref();
  }

  /** Rejects where nobody answers there, or without the key. */
  static async open(address: string, key: Buffer): Promise<SupervisorConnection> {
    const { socket, nonce } = await greeted(address);
    const own = randomBytes(32).toString("hex");
    const proof = (who: string, one: string, other: string) =>
      createHmac("sha256", key).update(`${who} ${one} ${other}`).digest();
    const shown = new Promise<string>((resolve, reject) => {
      let text = "";
      const receive = () => {
        for (let piece = socket.read(); piece !== null; piece = socket.read()) text += String(piece);
        if (!text.includes("\n") && text.length < greetingBytes) return;
        socket.off("readable", receive);
        resolve(text.trim());
      };
      socket.on("readable", receive);
      socket.once("close", () => reject(new Error("The supervisor has another key.")));
    });
    socket.write(`${JSON.stringify({ nonce: own, proof: proof("service", nonce, own).toString("hex") })}\n`);
    const received = Buffer.from(String(asMessage(await shown)?.proof), "hex");
    const expected = proof("supervisor", own, nonce);
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
      socket.destroy();
      throw new Error("The supervisor has another key.");
    }
    return new SupervisorConnection(address, socket);
  }

  /** null: the supervisor has ended. */
  async start(order: HoldOrder): Promise<SupervisedProgram | NotSpawned | null> {
    const answer = await this.#ask({ do: "start", ...order });
    if (answer === null) return null;
    if (typeof answer.failed === "string") return { failed: answer.failed };
    return this.#supervised(order.runId, answer.n as number, {
      ...answer,
      ranMs: 0,
      exit: null,
      ended: null,
    });
  }

  /** The runs that have lost their service. */
  async orphans(): Promise<readonly string[]> {
    return ((await this.#ask({ do: "list" }))?.runs ?? []) as readonly string[];
  }

  /** null: the run cannot be taken over. */
  async takeOver(runId: string): Promise<AdoptedRun | null> {
    const answer = await this.#ask({ do: "take over", runId });
    if (typeof answer?.handoverState !== "string") return null;
    const programs = await Promise.all(
      (answer.programs as readonly SupervisorMessage[]).map(async (program, n) => ({
        ...(await this.#supervised(runId, n, program)),
        named: program.named as string,
      })),
    );
    return { handoverState: answer.handoverState, programs };
  }

  /** Tells it what needs no answer. */
  tell(what: "feed" | "spoil" | "release", about: SupervisorMessage): void {
    if (!this.hasEnded) this.#socket.write(`${JSON.stringify({ do: what, ...about })}\n`);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #supervised(runId: string, n: number, answer: SupervisorMessage): Promise<SupervisedProgram> {
    const { pid, stat, ranMs, exit, ended } = answer as unknown as SupervisedProgram;
    const exited = new Promise<Exit | null>((resolve) => {
      if (exit !== null) resolve(exit);
      else if (this.hasEnded) resolve(null);
      else this.#exits.set(`${runId}/${n}`, resolve);
    });
    const [stdout, stderr] = (await Promise.all(
      (answer.tickets as readonly string[]).map((ticket) => this.#stream(ticket)),
    )) as [Socket, Socket];
    const feed = () => this.tell("feed", { runId, n });
    return { pid, stat, ranMs, exit, ended, stdout, stderr, exited, feed };
  }

  async #stream(ticket: string): Promise<Socket> {
    const { socket } = await greeted(this.#address);
    socket.write(`${JSON.stringify({ ticket })}\n`);
    return socket;
  }

  #ask(what: SupervisorMessage): Promise<SupervisorMessage | null> {
    if (this.hasEnded) return Promise.resolve(null);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#socket.write(`${JSON.stringify({ id, ...what })}\n`);
    });
  }

  #receive(message: SupervisorMessage | null): void {
    if (message === null) return;
    if (typeof message.id === "number") {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
      return;
    }
    const program = `${message.runId}/${message.n}`;
    this.#exits.get(program)?.(message.exit as Exit);
    this.#exits.delete(program);
  }

  #end(): void {
    this.hasEnded = true;
    for (const answer of this.#answers.values()) answer(null);
    for (const exit of this.#exits.values()) exit(null);
    this.#answers.clear();
    this.#exits.clear();
  }
}
