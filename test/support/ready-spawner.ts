import { setTimeout as sleep } from "node:timers/promises";
import { programStreams } from "../../adapters-infra/local/program-streams.ts";
import type { Spawner } from "../../adapters-infra/local/spawner.ts";

const aProgram = {
  command: "true",
  args: [],
  cwd: "/",
  env: { PATH: process.env.PATH ?? "" },
  user: {},
  entrance: null,
};

/** Waits until the spawner starts programs; until then the service starts them itself. */
export const readySpawner = async (spawner: Spawner): Promise<void> => {
  for (;;) {
    const streams = (await programStreams(null, false))!;
    const started = await spawner.start({ ...aProgram, streams: streams.paths });
    streams.release();
    if (started !== null && "exited" in started) {
      await started.exited;
      return;
    }
    await sleep(20);
  }
};
