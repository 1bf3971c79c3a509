import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { companyOfRow, makeAgents } from "../furnish.ts";
import { latencies, median, pause, wallMs } from "../measure.ts";
import type { Row } from "../row.ts";

/** Reads times in milliseconds that programs have written with `date +%s%N`. */
const marksIn = async (file: string): Promise<readonly number[]> =>
  (await readFile(file, "utf8").catch(() => ""))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Number(BigInt(line) / 1000n) / 1000);

const marksWhen = async (file: string, count: number): Promise<readonly number[]> => {
  for (;;) {
    const marks = await marksIn(file);
    if (marks.length >= count) return marks;
    await pause(2);
  }
};

const invoke = (bench: Bench, agentId: string, worker = 0) =>
  bench.call(worker, 202, "POST", `/api/agents/${agentId}/heartbeat/invoke`, {});

/**
 * Measures from the call that wakes an agent to its program's first instruction, minus a bare spawn of the program. Of the
 * time a sixth passes until the wake is stored, a third until its run is claimed, a third while the program is prepared
 * (its token, secrets and workspace, and the event that says so), and a sixth with the spawn. The sandbox, which this row
 * does not have, takes 16 ms more.
 */
const wake = async (bench: Bench) => {
  const marks = join(bench.folder, "wake-marks");
  const program = { command: "/bin/sh", args: ["-c", `date +%s%N >> "${marks}"`] };
  const [agentId] = await makeAgents(bench.board, await companyOfRow(bench, "Wakes"), 1, program, "Waker");
  const bareSpawn = async (): Promise<number> => {
    await rm(marks, { force: true });
    const from = wallMs();
    await once(spawn(program.command, program.args, { stdio: "ignore" }), "close");
    return (await marksWhen(marks, 1))[0]! - from;
  };
  return {
    round: async () => {
      const bare: number[] = [];
      const took: number[] = [];
      for (let n = 0; n < bench.options.seconds * 10; n++) {
        bare.push(await bareSpawn());
        await rm(marks, { force: true });
        const from = wallMs();
        await invoke(bench, agentId!);
        took.push((await marksWhen(marks, 1))[0]! - from);
        await bench.idle();
      }
      const usual = median(bare);
      return latencies(took.map((ms) => ms - usual));
    },
  };
};

/** Wakes 50 agents at once. */
const burst = async (bench: Bench) => {
  const marks = join(bench.folder, "burst-marks");
  const program = { command: "/bin/sh", args: ["-c", `date +%s%N >> "${marks}"`] };
  const agents = await makeAgents(bench.board, await companyOfRow(bench, "Bursts"), 50, program, "Burster");
  return {
    again: () => rm(marks, { force: true }),
    round: async () => {
      const from = wallMs();
      await Promise.all(agents.map((agentId, worker) => invoke(bench, agentId, worker)));
      return latencies((await marksWhen(marks, agents.length)).map((at) => at - from));
    },
  };
};

/**
 * Measures runs of an empty program, from the first call to the end of the last run. On a quiet machine a run took 14.5 ms
 * of the processors and takes 10.3 now, 6.9 of them in the service: for each candidate a claim read what people had done
 * in ten minutes, so that the rows before this one made it dearer, and of 92 claims 44 found nothing. Of the database's
 * time a seventh chooses which runs start, a seventh makes the run of a wake, and as much ends it. Of the service's thread
 * a third hands work over to the database, the spawner and Node's threads, and a tenth collects garbage, with a young
 * generation of full size.
 */
const finished = async (bench: Bench) => {
  const agents = await makeAgents(
    bench.board,
    await companyOfRow(bench, "Finishes"),
    100,
    { command: "/bin/true" },
    "Finisher",
  );
  return {
    round: async () => {
      const from = performance.now();
      await Promise.all(agents.map((agentId, n) => invoke(bench, agentId, n)));
      await bench.idle();
      return { value: (agents.length * 1000) / (performance.now() - from), operations: agents.length };
    },
  };
};

/** Measures from the end of a program to the start of the run that waited for it. */
const followUp = async (bench: Bench) => {
  const marks = join(bench.folder, "follow-marks");
  const script = `date +%s%N >> "${marks}"; sleep 0.15; date +%s%N >> "${marks}"`;
  const program = { command: "/bin/sh", args: ["-c", script] };
  const [agentId] = await makeAgents(bench.board, await companyOfRow(bench, "Follows"), 1, program, "Later");
  return {
    round: async () => {
      const took: number[] = [];
      for (let n = 0; n < bench.options.seconds * 3; n++) {
        await rm(marks, { force: true });
        await invoke(bench, agentId!);
        await marksWhen(marks, 1);
        await invoke(bench, agentId!);
        const [, end = 0, next = 0] = await marksWhen(marks, 4);
        took.push(next - end);
        await bench.idle();
      }
      return latencies(took);
    },
  };
};

export const runs: readonly Row[] = [
  {
    name: "runs-finished",
    what: "runs finished, trivial program, 100 woken at once",
    unit: "/s",
    aim: 150,
    reference: "spawn",
    prepare: finished,
  },
  {
    name: "wake",
    what: "wake to the first instruction, over a bare spawn",
    unit: "ms",
    aim: 10,
    prepare: wake,
  },
  {
    name: "burst",
    what: "burst of 50 wakes, to the first instruction",
    unit: "ms",
    aim: 250,
    prepare: burst,
  },
  {
    name: "follow-up",
    what: "end of a program to the run that waited",
    unit: "ms",
    aim: null,
    prepare: followUp,
  },
];
