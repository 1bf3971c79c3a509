import { setTimeout as sleep } from "node:timers/promises";
import type { Spawner } from "../../adapters-infra/local/spawner.ts";

const aProgram = {
  command: "true",
  args: [],
  cwd: "/",
  env: { PATH: process.env.PATH ?? "" },
  user: {},
  hasInput: false,
  entrance: null,
};

/** Waits until the spawner starts programs; until then the service starts them itself. */
export const readySpawner = async (spawner: Spawner): Promise<void> => {
  for (;;) {
    const started = await spawner.start(aProgram);
    if (started !== null && "exited" in started) {
      await started.exited;
      return;
    }
    await sleep(20);
  }
};
