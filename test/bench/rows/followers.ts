import { get, type IncomingMessage } from "node:http";
import type { Bench } from "../bench.ts";
import { companyOfRow, makeAgents } from "../furnish.ts";
import { latencies, pause, wallMs } from "../measure.ts";
import type { Row } from "../row.ts";

const manyUsers = 50;
const streamsOfUser = 20;
const talkers = 20;
/** Each silent stream gets two pings in this time. */
const silentSec = 20;

/** Opens the streams of so many board users, 20 each, at the services in turn; `onLines` gets whole lines. */
const follow = async (
  { board, urlOf }: Bench,
  companyId: string,
  users: number,
  onLines: (text: string) => void,
) => {
  const streams: IncomingMessage[] = [];
  for (let user = 0; user < users; user++) {
    const { id: userId } = await board.users.create({ name: `Follower ${user}` });
    await board.members.set({ companyId, userId, role: "viewer" });
    const { token } = await board.tokens.create({ name: "bench", userId });
    for (let n = 0; n < streamsOfUser; n++)
      streams.push(
        await new Promise<IncomingMessage>((resolve, reject) => {
          const headers = { authorization: `Bearer ${token}` };
          get(`${urlOf(n)}/api/companies/${companyId}/events`, { headers, agent: false }, resolve).on(
            "error",
            reject,
          );
        }),
      );
  }
  for (const stream of streams) {
    let incomplete = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const end = (incomplete + chunk).lastIndexOf("\n") + 1;
      onLines((incomplete + chunk).slice(0, end));
      incomplete = (incomplete + chunk).slice(end);
    });
    // The end of the row cuts it.
    stream.on("error", () => {});
  }
  return () => {
    for (const stream of streams) stream.destroy();
  };
};

/** When the lines of a text were printed, as `date +%s%N` has it in them. */
const timestampsMs = (text: string): readonly number[] =>
  Array.from(text.matchAll(/(?<!\d)1\d{18}(?!\d)/g), ([digits]) => Number(digits) / 1e6);

/**
 * Measures the delay of a program's output at the followers, while 20 programs print. A log waits 100 ms for more
 * lines, and the stream 100 ms for more events; the bytes are made once, and writing them takes 13 µs of processor time
 * for each follower.
 */
const lag = (users: number) => async (bench: Bench) => {
  const companyId = await companyOfRow(bench, "Talk");
  const script = `n=0; while [ $n -lt ${bench.options.seconds * 10} ]; do date +%s%N; sleep 0.1; n=$((n+1)); done`;
  const program = { command: "/bin/sh", args: ["-c", script] };
  const agents = await makeAgents(bench.board, companyId, talkers, program, "Talker");
  let behind: number[] = [];
  let expected = 0;
  // All followers get the same text. Parsing it for each of them would take more processor time than the service does,
  // and would be measured as its delay.
  const parsed = new Map<string, readonly number[]>();
  const leave = await follow(bench, companyId, users, (text) => {
    const now = wallMs();
    if (!parsed.has(text)) parsed.set(text, timestampsMs(text));
    for (const ms of parsed.get(text)!) behind.push(now - ms);
  });
  return {
    again: async () => {
      behind = [];
      parsed.clear();
      expected = talkers * bench.options.seconds * 10 * users * streamsOfUser;
    },
    round: async () => {
      await Promise.all(
        agents.map((agentId, n) => bench.call(n, 202, "POST", `/api/agents/${agentId}/heartbeat/invoke`, {})),
      );
      await bench.idle();
      // Waits for the slowest followers, whose missing lines have the longest delays.
      for (let waitedMs = 0; behind.length < expected && waitedMs < 60_000; waitedMs += 50) await pause(50);
      if (behind.length < expected) throw new Error(`Followers heard ${behind.length} of ${expected} lines.`);
      const measured = latencies(behind);
      return { ...measured, value: measured.p99Ms! };
    },
    end: async () => leave(),
  };
};

/**
 * Measures the processor time of 1,000 followers while nothing happens, in cores. Half of it was the checks of the
 * followers' 50 credentials every two seconds, each with a packet and a wake of its own, and the timers of
 * a thousand pings were some of the rest. On a machine with ten times its processors' work to do, 19 to 27 ms a second are
 * left: 10 without followers, 4 of which look at the machine's processes; 4 to 8 for the checks, each as a request makes
 * it; and 3 for the pings. All checks in one turn saved nothing that stood out of the noise, and checks without their
 * statements 3.
 */
const silence = async (bench: Bench) => {
  const { id: companyId } = await bench.board.companies.create({ name: "Silence" });
  const leave = await follow(bench, companyId, manyUsers, () => {});
  // V8 collects what the opening of the streams has left.
  await pause(10_000);
  return {
    round: async () => {
      const before = bench.spent();
      const from = performance.now();
      await pause(silentSec * 1000);
      const after = bench.spent();
      const spentMs = after.service - before.service + after.database - before.database;
      return { value: spentMs / (performance.now() - from), operations: silentSec };
    },
    end: async () => leave(),
  };
};

export const followers: readonly Row[] = [
  {
    name: "followers-lag",
    what: "1,000 followers, 20 talkative runs: p99 behind",
    unit: "ms",
    aim: 500,
    prepare: lag(manyUsers),
  },
  {
    name: "followers-spread",
    what: "100 followers, 20 talkative runs: p99 behind",
    unit: "ms",
    aim: 500,
    prepare: lag(5),
  },
  { name: "followers-idle", what: "1,000 followers of silence", unit: "cores", aim: 0.03, prepare: silence },
];
