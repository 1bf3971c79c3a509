import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Bench } from "../bench.ts";
import { latencies, pause } from "../measure.ts";
import type { Row } from "../row.ts";

const callers = 32;
const issueCount = 320;
/** In each half of a round. */
const changes = 10_000;
const answerAfterMs = 50;

const receiver = async (take: (body: string) => Promise<unknown>) => {
  const server = createServer(async (request, response) => {
    await take(await text(request));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/**
 * Compares the rate of 10,000 changes of issues with and without a subscription whose receiver answers after 50 ms. Which of
 * both is first differs from round to round, and what is still to be sent afterwards is given up, so that it slows nothing.
 */
const whileSendingEvents = async (bench: Bench) => {
  const { board } = bench;
  const { id: companyId } = await board.companies.create({ name: "Announced" });
  const issues: string[] = [];
  for (let n = 0; n < issueCount; n++)
    issues.push((await board.issues.create({ companyId, title: "To be changed" })).id);
  let received = 0;
  const slow = await receiver(async () => {
    await pause(answerAfterMs);
    received += 1;
  });
  const { id: eventSubscriptionId } = await board.eventSubscriptions.create({
    companyId,
    url: slow.url,
    events: ["*"],
  });
  const enable = (enabled: boolean) => board.eventSubscriptions.update({ eventSubscriptionId, enabled });
  await enable(false);
  let next = 0;
  const half = async (sends: boolean): Promise<Half> => {
    await enable(sends);
    const [before, earlier, from] = [bench.spent(), received, performance.now()];
    const last = next + changes;
    await Promise.all(
      Array.from({ length: callers }, async (_, worker) => {
        for (let n = next++; n < last; n = next++) {
          // Of each worker its own, so that none waits for another's lock.
          const id = issues[(n % (issueCount / callers)) * callers + worker];
          await bench.call(worker, 200, "PATCH", `/api/issues/${id}`, { title: `Changed ${n}` });
        }
      }),
    );
    const perSecond = (changes * 1_000) / (performance.now() - from);
    const after = bench.spent();
    await enable(false);
    return {
      perSecond,
      received: received - earlier,
      serviceMs: (after.service - before.service) / changes,
      databaseMs: (after.database - before.database) / changes,
    };
  };
  let rounds = 0;
  return {
    round: async () => {
      const first = rounds++ % 2 === 0;
      const [one, other] = [await half(first), await half(!first)];
      const [sending, alone] = first ? [one, other] : [other, one];
      process.stderr.write(`  alone ${shown(alone)}; sending ${shown(sending)}\n`);
      return { value: alone.perSecond / sending.perSecond, operations: 2 * changes };
    },
    end: async () => {
      await board.eventSubscriptions.remove({ eventSubscriptionId });
      slow.end();
    },
  };
};

const graceSec = 5;
/** Fewer than a person gets in an hour. */
const noticeCount = 8;

/** Measures from the end of the grace period of an approval until a person's chat has the notice. */
const notice = async (bench: Bench) => {
  const { board } = bench;
  const { id: companyId } = await board.companies.create({ name: "Asked" });
  const arrived = new Map<string, number>();
  const chat = await receiver(async (body) => {
    arrived.set(/plan-\w+/.exec(body)?.[0] ?? "", performance.now());
  });
  await board.session.setChat({ format: "slack", url: chat.url });
  const settings = await board.session.showNotices();
  const channels = { ...settings.channels, chat: { kinds: ["decision" as const], graceSec } };
  await board.session.saveNotices({ ...settings, channels });
  let rounds = 0;
  return {
    round: async () => {
      const asked = new Map<string, number>();
      for (let n = 0; n < noticeCount; n++) {
        const name = `plan-${rounds}x${n}`;
        await board.approvals.create({
          companyId,
          type: "approve_ceo_strategy",
          payload: { title: name, plan: "Two cranes" },
        });
        asked.set(name, performance.now());
        await pause(370);
      }
      rounds += 1;
      while ([...asked.keys()].some((name) => !arrived.has(name))) await pause(50);
      return latencies([...asked].map(([name, at]) => arrived.get(name)! - at - graceSec * 1_000));
    },
    end: async () => {
      await board.session.removeChat();
      chat.end();
    },
  };
};

/** The figures of one half of a round; processor time of a change. */
interface Half {
  readonly perSecond: number;
  readonly received: number;
  readonly serviceMs: number;
  readonly databaseMs: number;
}

const shown = ({ perSecond, received, serviceMs, databaseMs }: Half): string =>
  `${perSecond.toFixed(0)}/s, service ${serviceMs.toFixed(2)} ms, database ${databaseMs.toFixed(2)} ms, ${received} received`;

export const events: readonly Row[] = [
  {
    name: "events",
    what: "10,000 changes, to be sent to a receiver of 50 ms",
    unit: "×",
    aim: 1 / 0.95,
    prepare: whileSendingEvents,
  },
  {
    name: "notice",
    what: "a person's notice, after the grace period",
    unit: "ms",
    aim: 2_000,
    p99Aim: 2_000,
    prepare: notice,
  },
];
