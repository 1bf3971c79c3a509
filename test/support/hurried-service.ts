import { readFile } from "node:fs/promises";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { boardroom } from "../../hosts/composition/app.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import { openLog } from "../../hosts/composition/log.ts";
import { openScope } from "../../hosts/composition/open-scope.ts";
import { openapi } from "../../hosts/http/openapi.ts";
import { server } from "../../hosts/http/server.ts";
import { inProcessTransport } from "../../hosts/library/in-process-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";

/** The pause of a task of the service until it runs again. */
const hurried = (millis: number): number => (millis >= 60_000 ? 200 : millis);

/** A service whose clock the test moves, and whose tasks of a minute or more run five times a second, or on request. */
export const hurriedService = async (
  {
    dataDir,
    databaseUrl,
    everyMs,
    pauseOf = hurried,
  }: { dataDir: string; databaseUrl: string; everyMs: number; pauseOf?: (millis: number) => number },
  env: Readonly<Record<string, string>>,
) => {
  let aheadSec = 0;
  const now = () => addSeconds(new Date().toISOString(), aheadSec);
  const config = readConfig({
    PATH: process.env.PATH,
    SERVICE_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
    SERVICE_DATABASE_POOL: "6",
    SERVICE_LOG_LEVEL: "silent",
    ...env,
  });
  const pauses: number[] = [];
  const { value: room, close } = await openScope(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const opened = boardroom(config, openLog("silent"), openapi, { clock: { now } }).pipe(
        Effect.tap((room) => room.begin("http://127.0.0.1:9")),
      );
      const hurriedClock: Clock.Clock = Object.assign(Object.create(clock), {
        sleep: (pause: Duration.Duration) => {
          const millis = Duration.toMillis(pause);
          pauses.push(millis);
          return clock.sleep(Duration.millis(pauseOf(millis)));
        },
      });
      return yield* Effect.provideService(opened, Clock.Clock, hurriedClock);
    }),
  );
  const handle = server(room.app, {
    stopping: new AbortController().signal,
    allowedHostnames: new Set(),
    metricsToken: null,
    onDefect: () => {},
  });
  const token = (await readFile(room.boardTokenPath, "utf8")).trim();
  return {
    client: openClient(inProcessTransport(handle, token)),
    room,
    close,
    /** How often the tasks of that interval have begun to wait. */
    rounds: () => pauses.filter((millis) => millis === everyMs).length,
    advance: (seconds: number) => {
      aheadSec += seconds;
    },
  };
};
