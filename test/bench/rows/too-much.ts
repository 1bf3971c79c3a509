import type { Bench } from "../bench.ts";
import { Connection } from "../connection.ts";
import { furnish } from "../furnish.ts";
import { type Figures, pause, percentiles } from "../measure.ts";
import type { Row } from "../row.ts";

const callers = 800;
/** The shortest Retry-After. */
const retryMs = 1_000;
const healthEveryMs = 50;

/** Sends one request on a connection of its own; returns the status. */
const onNewConnection = async (bench: Bench, method: string, path: string, body?: string) => {
  const connection = new Connection(bench.service.url);
  const { status } = await connection.call(method, path, bench.token, body, "connection: close\r\n");
  connection.close();
  return status;
};

/**
 * Measures 800 callers who create issues, many more than are answered within a second. The figures of the row are those
 * of the accepted requests; a line tells those of the refused ones, and of health on new connections. A new connection
 * is part of its request's time.
 *
 * libuv accepts one connection in a turn of its loop, and the turn did the work of the request before. So most callers
 * with new connections waited in the kernel (at times 4,000 were lost there and tried again after a second), where no
 * limit saw them. On a machine with ten times its processors' work to do, four pairs in turn with the version before
 * connections came first, medians on new connections: accepted p50 2.6 to 1.7 s, p99 5.1 to 3.6 s; health p50 2.4 to
 * 0.7 s; refused 1.1 to 0.7 s. What is left there is the processor time of the refusals. Fewer are accepted meanwhile.
 */
const tooMuch = (connections: "kept" | "new") => async (bench: Bench) => {
  const { companyId } = await furnish(bench);
  const path = `/api/companies/${companyId}/issues`;
  const body = JSON.stringify({ title: "One more" });
  const create = async (worker: number) =>
    connections === "new"
      ? onNewConnection(bench, "POST", path, body)
      : (await bench.connection(worker).call("POST", path, bench.token, body)).status;
  return {
    round: () =>
      overloaded(bench.options.seconds, create, () => onNewConnection(bench, "GET", "/api/health")),
  };
};

const overloaded = async (
  seconds: number,
  create: (worker: number) => Promise<number>,
  health: () => Promise<number>,
): Promise<Figures> => {
  const from = performance.now();
  const until = from + seconds * 1000;
  const took: Record<"accepted" | "refused" | "healthy", number[]> = {
    accepted: [],
    refused: [],
    healthy: [],
  };
  const timed = async (once: () => Promise<number>, kinds: Readonly<Record<number, keyof typeof took>>) => {
    const begun = performance.now();
    const status = await once();
    const kind = kinds[status];
    if (kind === undefined) throw new Error(`The answer was ${status}.`);
    took[kind].push(performance.now() - begun);
    return kind;
  };
  const calls = async (worker: number) => {
    while (performance.now() < until)
      if ((await timed(() => create(worker), { 201: "accepted", 503: "refused" })) === "refused")
        await pause(retryMs);
  };
  const probes = Array.from({ length: (seconds * 1000) / healthEveryMs }, async (_, n) => {
    await pause(n * healthEveryMs);
    await timed(health, { 200: "healthy" });
  });
  await Promise.all([...Array.from({ length: callers }, (_, worker) => calls(worker)), ...probes]);
  const { accepted, refused, healthy } = took;
  const shown = (times: readonly number[]) => {
    const { p50Ms, p99Ms } = percentiles(times);
    return `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`;
  };
  process.stderr.write(
    `  ${accepted.length} accepted: ${shown(accepted)}; ${refused.length} refused: ${shown(refused)}; health: ${shown(healthy)}\n`,
  );
  const value = (accepted.length * 1000) / (performance.now() - from);
  return { value, operations: accepted.length + refused.length, ...percentiles(accepted) };
};

export const overload: readonly Row[] = [
  {
    name: "too-much-kept",
    what: "800 callers on kept connections, accepted",
    unit: "/s",
    aim: null,
    prepare: tooMuch("kept"),
  },
  {
    name: "too-much-new",
    what: "800 callers on new connections, accepted",
    unit: "/s",
    aim: null,
    prepare: tooMuch("new"),
  },
];
