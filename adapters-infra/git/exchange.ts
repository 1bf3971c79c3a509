import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type GitAnswer, type GitExchange, PushRefused } from "../../ports/code-stores.ts";
import { type GitSetting, receiving } from "./git-settings.ts";
import { type PushCommands, pktLine, pushCommands, refusedPush } from "./pushed-refs.ts";
import type { Git, GitStream } from "./run-git.ts";
import { reading, type StoreFolder, writingCaptured } from "./store-folder.ts";

/** The limits of one request. */
const exchangeLimits = {
  /** Packed. */
  pushBytes: 500 * 2 ** 20,
  refs: 200,
  commandBytes: 64 * 1_024,
  /** Of a reader, unpacked: the commits that it has and wants. */
  requestBytes: 16 * 2 ** 20,
  seconds: 600,
};

const text = (status: number, body: string): GitAnswer => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body: `${body}\n`,
});

/** The body is larger than its limit, or is not what its encoding says. */
class BodyRefused extends Error {}

/** Answers one request of git of a run. Nothing of a push is passed on before every ref that it names is allowed. */
export const exchangeWith = async (
  git: Git,
  folder: StoreFolder,
  checks: string,
  exchange: GitExchange,
): Promise<GitAnswer> => {
  const { service, store, isStart } = exchange;
  const isPush = service === "git-receive-pack";
  if (isPush && store === "shared") return text(403, "Push to the address of the kept store.");
  const body = limited(exchange, isPush ? exchangeLimits.pushBytes * 1.1 : exchangeLimits.requestBytes);
  try {
    if (isStart || !isPush) return await answerOf(git, folder, checks, exchange, isStart ? undefined : body);
    const { commands, rest } = await readCommands(body);
    // Git asks so whether it may send a push that is larger than its buffer.
    if (commands?.refs.length === 0)
      return { status: 200, contentType: `application/x-${service}-result`, body: "" };
    if (commands === null)
      return text(
        400,
        `A push names at most ${exchangeLimits.refs} refs, in ${exchangeLimits.commandBytes} bytes.`,
      );
    const refusal = exchange.noPush === null ? refusalOf(commands, exchange.writes) : () => exchange.noPush;
    if (refusal === null) return await answerOf(git, folder, checks, exchange, rest);
    // Git reads the answer once it has sent everything.
    await readAll(rest);
    return {
      status: 200,
      contentType: `application/x-${service}-result`,
      body: refusedPush(commands, refusal),
    };
  } catch (error) {
    if (error instanceof BodyRefused) return text(413, error.message);
    if (error instanceof PushRefused) return text(403, error.message);
    throw error;
  }
};

const zero = /^0+$/;

const refusalOf = (commands: PushCommands, writes: readonly string[]) => {
  const reasonOf = (each: PushCommands["refs"][number]): string | null => {
    if (zero.test(each.new)) return "a run deletes no branch";
    const isOwn = writes.some((own) => (own.endsWith("/") ? each.ref.startsWith(own) : each.ref === own));
    return isOwn ? null : "not a branch of this run";
  };
  return commands.refs.some((each) => reasonOf(each) !== null) ? reasonOf : null;
};

const readAll = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
  try {
    for await (const _ of body);
  } catch (error) {
    // It is refused with a reason for each ref.
    if (!(error instanceof PushRefused)) throw error;
  }
};

const flush = "0000";

const readCommands = async (body: AsyncIterable<Uint8Array>) => {
  const chunks = body[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  for (;;) {
    const commands = pushCommands(head);
    const isOver = commands === null && head.length > exchangeLimits.commandBytes;
    if (commands !== null || isOver) {
      const isUsable =
        commands !== null &&
        commands !== "malformed" &&
        commands.refs.length <= exchangeLimits.refs &&
        (commands.refs.length > 0 || head.length === flush.length);
      const rest = (async function* () {
        yield head as Uint8Array;
        for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
      })();
      return { commands: isUsable ? commands : null, rest };
    }
    const next = await chunks.next();
    if (next.done === true) return { commands: null, rest: Readable.from([]) };
    head = Buffer.concat([head, next.value]);
  }
};

/** The body, unpacked, and never longer than that. */
const limited = ({ body, isGzip }: GitExchange, limit: number): AsyncIterable<Uint8Array> => {
  const source = Readable.from(body, { objectMode: false });
  const plain = isGzip ? source.pipe(createGunzip()) : source;
  // `pipe` passes no failure on: a body that breaks off would never end.
  if (plain !== source) source.on("error", (error) => plain.destroy(error));
  return (async function* () {
    let bytes = 0;
    try {
      for await (const chunk of plain as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > limit) throw new BodyRefused("The request is too large.");
        yield chunk;
      }
    } finally {
      source.destroy();
      plain.destroy();
    }
  })();
};

const settingsOf = ({ store, service, isStart, writes, reads }: GitExchange, checks: string) => {
  if (store === "shared")
    return [
      ["uploadpack.allowFilter", "true"],
      ["uploadpack.allowAnySHA1InWant", "true"],
    ] as const satisfies readonly GitSetting[];
  const isPush = service === "git-receive-pack";
  // The last match wins. A push must find its own refs, so only what it is shown at first is cut down.
  const shown = [...writes, ...(isPush ? [] : reads)].map((ref) => ref.replace(/\/$/, ""));
  const hides: readonly GitSetting[] = [
    ["transfer.hideRefs", "refs/"],
    ...shown.map((ref) => ["transfer.hideRefs", `!${ref}`] as const),
  ];
  return [
    ...receiving(exchangeLimits.pushBytes),
    ...(isPush ? [["core.hooksPath", checks] as const] : []),
    ...(isPush && !isStart ? [] : hides),
  ];
};

const answerOf = async (
  git: Git,
  folder: StoreFolder,
  checks: string,
  exchange: GitExchange,
  input: AsyncIterable<Uint8Array> | undefined,
): Promise<GitAnswer> => {
  const { service, store, isStart } = exchange;
  const isPush = service === "git-receive-pack";
  // Protocol 2 gives any object by its id, hidden or not: the store of captured work never speaks it.
  const protocol =
    store === "shared" && /^version=[12]$/.test(exchange.protocol ?? "") ? exchange.protocol : null;
  const stream = git.stream({
    args: [
      "--git-dir",
      store === "shared" ? folder.shared : folder.captured,
      service.slice("git-".length),
      "--stateless-rpc",
      ...(isStart ? ["--http-backend-info-refs"] : []),
      store === "shared" ? folder.shared : folder.captured,
    ],
    folders: [
      ...(isPush && !isStart ? writingCaptured(folder) : reading(folder)),
      ...(isPush ? [{ path: checks, access: "read" } as const] : []),
    ],
    settings: settingsOf(exchange, checks),
    env: protocol === null ? {} : { GIT_PROTOCOL: protocol },
    ...(input === undefined ? {} : { input }),
    limitSec: exchangeLimits.seconds,
    memoryBytes: 2 * 2 ** 30,
    // A push whose body has arrived is carried out; a reader who is gone needs nothing more.
    ...(isPush ? {} : { aborted: exchange.aborted }),
  });
  const greeting = isStart && protocol !== "version=2" ? `${pktLine(`# service=${service}\n`)}0000` : "";
  return {
    status: 200,
    contentType: `application/x-${service}-${isStart ? "advertisement" : "result"}`,
    body: bodyOf(stream, greeting),
  };
};

const bodyOf = async function* (stream: GitStream, greeting: string): AsyncIterable<Uint8Array> {
  if (greeting !== "") yield Buffer.from(greeting);
  yield* stream.output;
  await stream.outcome;
};
