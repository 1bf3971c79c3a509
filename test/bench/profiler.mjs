// Loaded into the service with `--profile`: SIGUSR2 begins a processor profile, the next one ends and writes it.
import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

const path = `${process.env.BENCH_PROFILE}/service.cpuprofile`;
let session = null;

process.on("SIGUSR2", async () => {
  if (session === null) {
    session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 250 });
    await session.post("Profiler.start");
    return;
  }
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  session = null;
  writeFileSync(`${path}.new`, JSON.stringify(profile));
  renameSync(`${path}.new`, path);
});
