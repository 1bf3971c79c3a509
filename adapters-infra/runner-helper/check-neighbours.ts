import * as Effect from "effect/Effect";
import { type CheckedRunner, runScript } from "./run-script.ts";

/** Listens on a port, prints its addresses, and waits to be ended. */
const listens = `
const server = require("node:net").createServer((socket) => socket.end());
server.listen(0, () => {
  for (const each of Object.values(require("node:os").networkInterfaces()).flat())
    if (!each.internal && each.family === "IPv4") console.log("at " + each.address + " " + server.address().port);
  console.log("listens");
});
`;

/** Prints whether one of the addresses answers. */
const connects = `
const connect = ([host, port]) => new Promise((resolve) => {
  const socket = require("node:net").connect({ host, port, timeout: 5000 }, () => resolve(true));
  for (const end of ["error", "timeout"]) socket.on(end, () => { socket.destroy(); resolve(false); });
});
Promise.all(JSON.parse(process.argv[1]).map(connect)).then((all) => console.log("reaches", all.includes(true)));
`;

const limitMs = 60_000;

/** Whether a program reaches another one of the same runner over the network; null where that could not be tried. */
export const reachesNeighbour = (runner: CheckedRunner): Effect.Effect<boolean | null> =>
  Effect.gen(function* () {
    const over = new AbortController();
    const stop = AbortSignal.any([over.signal, AbortSignal.timeout(limitMs)]);
    let isUp = (_: string): void => {};
    const up = new Promise<string>((resolve) => {
      isUp = resolve;
    });
    const listener = runScript(runner, [listens], stop, (output) => {
      if (output.includes("listens")) isUp(output);
    });
    const connector = Effect.gen(function* () {
      const addresses = [...(yield* Effect.promise(() => up)).matchAll(/^at (\S+) (\d+)$/gm)];
      if (addresses.length === 0) return null;
      const args = [connects, JSON.stringify(addresses.map(([, host, port]) => [host, Number(port)]))];
      const { output } = yield* runScript(runner, args, stop);
      return /^reaches (true|false)$/m.exec(output)?.[1] ?? null;
    });
    const [, found] = yield* Effect.all(
      [
        Effect.ensuring(
          listener,
          Effect.sync(() => isUp("")),
        ),
        Effect.ensuring(
          connector,
          Effect.sync(() => over.abort()),
        ),
      ],
      { concurrency: 2 },
    );
    return found === null ? null : found === "true";
  });
