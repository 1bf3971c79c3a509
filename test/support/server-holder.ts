import * as Effect from "effect/Effect";
import { claimDataDirectory } from "../../adapters-infra/local/data-directory.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";

/**
 * A service reduced to its PostgreSQL server, for tests that kill it: prints one line of JSON per event on standard
 * output, and stops like a service on SIGTERM. Its only argument is JSON: `EmbeddedServerOptions` without `log`, or `{
 * "claim": directory }`.
 */
const options = JSON.parse(process.argv[2] ?? "{}") as {
  directory: string;
  durable?: boolean;
  binaries?: string;
  sharedHome?: string;
  claim?: string;
};
const say = (event: Record<string, unknown>) => process.stdout.write(`${JSON.stringify(event)}\n`);

// Installed before any output: a reader of the ready event may kill this process at once.
const asked = new Promise<void>((resolve) => {
  process.once("SIGTERM", resolve);
});

const service = Effect.gen(function* () {
  const began = performance.now();
  if (options.claim !== undefined) {
    const { path } = yield* claimDataDirectory(options.claim);
    say({ ready: path });
  } else {
    const server = yield* embeddedServer({ ...options, log: (log) => say({ log }) });
    say({ ready: server.url, pid: server.pid(), startMs: Math.round(performance.now() - began) });
  }
  const open = setInterval(() => {}, 1_000);
  yield* Effect.promise(() => asked);
  clearInterval(open);
});

Effect.runPromise(Effect.scoped(service)).then(
  () => process.exit(0),
  (error: { _tag?: string; message: string; pid?: number }) => {
    say({ failed: error.message, kind: error._tag, pid: error.pid });
    process.exit(1);
  },
);
