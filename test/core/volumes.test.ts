import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FilesLocation, locateFiles, mayResume } from "../../core/model/agents/volume.ts";
import { gate } from "../../core/model/runs/gate.ts";
import type { AgentId, CompanyId, RunId, ServiceId, VolumeId } from "../../core/model/shared/ids.ts";
import { type ClaimRuns, claimRuns } from "../../core/runs/claim-runs.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { keepLease } from "../../core/runs/keep-lease.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import {
  aCompany,
  anAgent,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { anOutcome, aRun, openGate, caps as usualCaps } from "../support/nouns.ts";
import { contextOf } from "../support/units.ts";

let storage: TestStorage;
let companyId: CompanyId;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());
beforeEach(async () => {
  await storage.sql`delete from task_sessions`;
  await storage.sql`delete from run_events`;
  await storage.sql`delete from wakes`;
  await storage.sql`delete from runs`;
  await storage.sql`delete from services`;
  await storage.sql`update agents set volume = null`;
  await storage.sql`delete from volumes`;
  companyId = (await aCompany(storage)).id;
});

const at = new Date().toISOString();
const clock = { now: () => at };
const caps = { instance: 1_000, company: 1_000, adapterType: 1_000 };
/** Far longer than any of these tests takes, however busy the machine is. */
const leaseSec = 1_500;
const termSec = 1_000;
const adapters = { adapterTypes: ["process", "http"], typesWithoutFiles: ["http"] };

/** A service on a machine of its own, as the database sees it. */
interface OnHost {
  readonly id: ServiceId;
  readonly volume: VolumeId;
  readonly host: string;
  /** Renews its lease. Returns the runs that it takes over. */
  readonly keep: () => Promise<readonly unknown[]>;
  readonly claim: (more?: Partial<ClaimRuns>) => Promise<readonly RunId[]>;
}
const onHost = (host: string, volume: VolumeId = newId<VolumeId>()): OnHost => {
  const id = newId<ServiceId>();
  const service = {
    id,
    host,
    pid: 1,
    processStartedAt: "x",
    scopes: [`host/${host}`],
    role: "worker" as const,
    startedAt: at,
    handoverFolders: [],
    handoverSec: 0,
  };
  return {
    id,
    volume,
    host,
    keep: () =>
      Effect.runPromise(
        keepLease(contextOf(storage.transactor))(service, { id: volume, host, termSec }, leaseSec),
      ),
    claim: async (more = {}) =>
      (
        await Effect.runPromise(
          claimRuns(contextOf(storage.transactor, clock))({
            serviceId: id,
            ...adapters,
            runners: new Map([
              ["local", { scope: `host/${host}`, volume }],
              ["cluster", { scope: "k8s/lab/agents", volume: "k8s/lab/agents" as VolumeId }],
            ]),
            volume,
            defaultRunner: "local",
            limit: 100,
            caps,
            ...more,
          }),
        )
      ).claimed.map(({ run }) => run.id),
  };
};
const wake = async (agent: AgentInCompany) => {
  const request = aWakeRequest({ agent, at });
  await storage.run(({ wakes }) => wakes.add(request));
  return request.runId;
};
const finish = (runId: RunId, agentId: AgentId, more = {}) =>
  Effect.runPromise(
    finishRun(contextOf(storage.transactor, clock))({
      run: { id: runId, companyId, agentId, issueId: null },
      outcome: anOutcome(),
      lastOutput: null,
      ...more,
    }),
  );
/** Its first run has ended on that service. */
const beenOn = async (service: OnHost, agent: AgentInCompany, more = {}) => {
  const run = await wake(agent);
  expect(await service.claim()).toEqual([run]);
  await finish(run, agent.id, more);
};
const volumeOf = async (id: string) =>
  (await storage.sql<{ volume: string | null }[]>`select volume from agents where id = ${id}`)[0]?.volume;
/** The machine died so long ago. */
const gone = async ({ id, volume }: OnHost, sec: number) => {
  await storage.sql`delete from services where id = ${id}`;
  await storage.sql`
    update  volumes
    set     seen_at = now() - make_interval(secs => ${sec}),
            abandoned_at = now() - make_interval(secs => ${sec - leaseSec - termSec})
    where   id = ${volume}`;
};
const storyOf = (runId: string) =>
  storage.sql<{ level: string; message: string }[]>`
    select level, message from run_events where run_id = ${runId} order by seq`;
const session = (displayId: string) => ({ session: { params: { id: displayId }, displayId } });
const resumed = async (runId: string) =>
  (
    await storage.sql<
      { before: string | null }[]
    >`select session_id_before as before from runs where id = ${runId}`
  )[0]?.before;

describe("an agent's runs on the machines of services", () => {
  it("stay where the first one started, though another service is faster, and resume its session there", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId });
    const first = await wake(agent);
    expect(await one.claim()).toEqual([first]);
    expect(await volumeOf(agent.id)).toBe(one.volume);
    await finish(first, agent.id, session("s-1"));
    const second = await wake(agent);
    expect(await two.claim()).toEqual([]);
    expect(await one.claim()).toEqual([second]);
    expect(await resumed(second)).toBe("s-1");
  });

  it("start anywhere on a volume that several services share, with the same session", async () => {
    const one = onHost("one");
    const two = onHost("two", one.volume);
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId });
    const first = await wake(agent);
    expect(await one.claim()).toEqual([first]);
    await finish(first, agent.id, session("s-1"));
    const second = await wake(agent);
    expect(await two.claim()).toEqual([second]);
    expect(await resumed(second)).toBe("s-1");
  });

  it("go to one of two services that claim at once", async () => {
    const services = [onHost("one"), onHost("two")];
    for (const service of services) await service.keep();
    const agents = await Promise.all(Array.from({ length: 8 }, () => anAgent(storage, { companyId })));
    for (const agent of agents) await wake(agent);
    const claimed = await Promise.all(
      [...services, ...services].map((service) => service.claim({ limit: 3 })),
    );
    expect(new Set(claimed.flat()).size).toBe(8);
    const rows = await storage.sql<{ same: boolean }[]>`
      select run.volume = agent.volume as same from runs run join agents agent on agent.id = run.agent_id`;
    expect(rows.map(({ same }) => same)).toEqual(Array.from({ length: 8 }, () => true));
  });

  it("move once their host is abandoned, and say what is lost, without the session", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, {
      companyId,
      runtimeConfig: { heartbeat: { maxConcurrentRuns: 5 } },
    });
    await beenOn(one, agent, session("s-1"));
    const second = await wake(agent);
    await gone(one, 2_000);
    expect(await two.claim()).toEqual([]);
    await gone(one, 3_000);
    expect(await two.claim()).toEqual([second]);
    expect(await resumed(second)).toBeNull();
    expect(await volumeOf(agent.id)).toBe(two.volume);
    const [warning] = await storyOf(second);
    expect(warning).toMatchObject({
      level: "warn",
      message: expect.stringMatching(/host one .*its session/),
    });
    const logged = await storage.sql<{ details: object }[]>`
      select details from activity where entity_id = ${agent.id} and action = 'agent.workspace_lost'`;
    expect(logged).toEqual([
      {
        details: {
          host: "one",
          sessions: 1,
          lost: expect.stringContaining("without its workspace files on one"),
        },
      },
    ]);
    // The host returns too late: the agent has gone, also for the next run.
    await one.keep();
    await finish(second, agent.id, session("s-2"));
    const third = await wake(agent);
    expect(await one.claim()).toEqual([]);
    expect(await two.claim()).toEqual([third]);
    expect(await resumed(third)).toBe("s-2");
  });

  it("stay on a host that returns before another service needed its agent", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId });
    await beenOn(one, agent, session("s-1"));
    await gone(one, 5_000);
    await one.keep();
    const run = await wake(agent);
    expect(await two.claim()).toEqual([]);
    expect(await one.claim()).toEqual([run]);
    expect(await resumed(run)).toBe("s-1");
  });

  it("are not taken by a service whose own lease has ended, nor before a whole term has passed since all were away", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId });
    await beenOn(one, agent);
    const second = await wake(agent);
    // The database was away for an hour, and with it every lease has ended.
    await storage.sql`update services set lease_until = now() - interval '1 hour' + interval '2 seconds'`;
    await storage.sql`update volumes set seen_at = now() - interval '1 hour', abandoned_at = now() - interval '59 minutes'`;
    expect(await two.claim()).toEqual([]);
    await two.keep();
    expect(await two.claim()).toEqual([]);
    expect(await one.claim()).toEqual([second]);
  });

  it("wait for hosts that are away when several services start at once after all were away", async () => {
    const one = onHost("one");
    await one.keep();
    const agent = await anAgent(storage, { companyId });
    await beenOn(one, agent);
    await gone(one, 100_000);
    const run = await wake(agent);
    const services = Array.from({ length: 6 }, (_, n) => onHost(`new-${n}`));
    await Promise.all(services.map((service) => service.keep()));
    for (const service of services) expect(await service.claim()).toEqual([]);
    await one.keep();
    expect(await one.claim()).toEqual([run]);
  });

  it("leave no trace of a host that is gone for good, once no agent belongs to it", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId });
    await beenOn(one, agent);
    await gone(one, 100_000);
    const hosts = async () =>
      (await Effect.runPromise(storage.views.volumes.list())).map(({ host, agents }) => [host, agents]);
    await two.keep();
    expect(await hosts()).toEqual([
      ["one", 1],
      ["two", 0],
    ]);
    await storage.sql`update agents set lifecycle_state = 'terminated' where id = ${agent.id}`;
    await two.keep();
    expect(await hosts()).toEqual([["two", 0]]);
  });

  it("on an engine belong to no host, and resume no session from a host, nor a host one of theirs", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId });
    await beenOn(one, agent, session("on-one"));
    await storage.sql`update agents set runtime_config = '{"runner":"cluster"}' where id = ${agent.id}`;
    const second = await wake(agent);
    expect(await two.claim()).toEqual([second]);
    expect(await resumed(second)).toBeNull();
    await finish(second, agent.id, session("in-cluster"));
    const third = await wake(agent);
    expect(await one.claim()).toEqual([third]);
    expect(await resumed(third)).toBe("in-cluster");
    await finish(third, agent.id);
    await storage.sql`update agents set runtime_config = '{}' where id = ${agent.id}`;
    const fourth = await wake(agent);
    expect(await two.claim()).toEqual([]);
    expect(await one.claim()).toEqual([fourth]);
    expect(await resumed(fourth)).toBeNull();
  });

  it("belong to no host if the adapter keeps no files, and resume their session on any", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId, adapterType: "http" });
    await beenOn(one, agent, session("remote"));
    expect(await volumeOf(agent.id)).toBeNull();
    const second = await wake(agent);
    expect(await two.claim()).toEqual([second]);
    expect(await resumed(second)).toBe("remote");
  });

  it("that can never start end on any service", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const agent = await anAgent(storage, { companyId });
    await beenOn(one, agent);
    const run = await wake(agent);
    await storage.sql`update agents set held_manually_at = now() where id = ${agent.id}`;
    await two.claim();
    const [row] = await storage.sql<{ status: string }[]>`select status from runs where id = ${run}`;
    expect(row?.status).toBe("cancelled");
  });

  it("of before volumes keep their sessions, wherever the next one starts", async () => {
    const one = onHost("one");
    await one.keep();
    const agent = await anAgent(storage, { companyId });
    await storage.sql`
      insert into task_sessions (company_id, agent_id, adapter_type, task_key, params, display_id, last_run_id, updated_at)
      values (${companyId}, ${agent.id}, 'process', '__heartbeat__', '{}', 'old', ${newId()}, now())`;
    const run = await wake(agent);
    expect(await one.claim()).toEqual([run]);
    expect(await resumed(run)).toBe("old");
    expect((await storyOf(run)).map(({ level }) => level)).toEqual(["info"]);
  });
});

describe("a service whose lease has ended", () => {
  it("keeps its runs until another one renewed its own twice since, as nobody can renew while the database is away", async () => {
    const [one, two] = [onHost("one"), onHost("two")];
    await one.keep();
    await two.keep();
    const run = await wake(await anAgent(storage, { companyId }));
    expect(await two.claim()).toEqual([run]);
    const leaseEnds = (service: OnHost, sec: number) =>
      storage.sql`update services set lease_until = now() + make_interval(secs => ${sec}) where id = ${service.id}`;
    // The last renewals were not at the same time.
    await leaseEnds(two, -1);
    await leaseEnds(one, 1);
    expect(await one.keep()).toEqual([]);
    await two.keep();
    expect(await one.keep()).toEqual([]);
    await leaseEnds(two, -1);
    expect(await one.keep()).toMatchObject([{ id: run }]);
  });
});

describe("where an agent's files are", () => {
  const others = [null, { isAbandoned: false }, { isAbandoned: true }] as const;

  it("is decided alike by the core and by the queue, in every case", async () => {
    const asking = onHost("asking");
    const expected = new Map<string, FilesLocation>();
    const fresh = newId<VolumeId>();
    const old = newId<VolumeId>();
    const runners = [null, "local", "cluster"] as const;
    const cases = [null, asking.volume, fresh, old, newId<VolumeId>()].flatMap((volume) =>
      adapters.adapterTypes.map((adapterType) => ({ volume, adapterType })),
    );
    for (const { volume, adapterType } of cases)
      for (const ofCompany of runners)
        for (const ofAgent of runners) {
          const company = await aCompany(storage);
          await storage.sql`update companies set runner = ${ofCompany} where id = ${company.id}`;
          const agent = await anAgent(storage, {
            companyId: company.id,
            adapterType,
            runtimeConfig: ofAgent === null ? {} : { runner: ofAgent },
          });
          await storage.sql`update agents set volume = ${volume} where id = ${agent.id}`;
          const [, isFresh, isOld] = others;
          const other = volume === fresh ? isFresh : volume === old ? isOld : null;
          const belongs = (ofAgent ?? ofCompany ?? "local") === "local" && adapterType === "process";
          expected.set(await wake(agent), belongs ? locateFiles({ volume }, asking.volume, other) : "here");
        }
    // After all that takes long: its lease lasts.
    await asking.keep();
    await storage.sql`
      insert into volumes (id, host, seen_at, abandoned_at) values
      (${fresh}, 'fresh', now(), now() + interval '1 hour'),
      (${old}, 'old', now() - interval '1 hour', now() - interval '1 minute')`;
    expect(expected.size).toBe(90);
    expect(new Set(expected.values())).toEqual(new Set(["here", "nowhere", "abandoned", "elsewhere"]));
    const scope = {
      serviceId: asking.id,
      ...adapters,
      runners: ["local", "cluster"],
      volume: asking.volume,
      defaultRunner: "local",
      limit: 100,
      caps,
      at,
    };
    const chosen = new Set<string>(
      (await storage.run(({ runs }) => runs.lockCandidates(scope))).candidates.map(({ run }) => run.id),
    );
    expect([...expected].filter(([runId, where]) => chosen.has(runId) === (where === "elsewhere"))).toEqual(
      [],
    );
    const claimed = new Set<string>(await asking.claim());
    expect([...expected].filter(([runId, where]) => claimed.has(runId) === (where === "elsewhere"))).toEqual(
      [],
    );
  });

  it("never lets a run of another volume start, whatever else is true of it", () => {
    expect(gate(aRun(), openGate({ isElsewhere: true }), usualCaps)).toEqual({ go: false, wait: "host" });
  });

  it.each([
    ["of before volumes, on a host", null, "a", true],
    ["of before volumes, where nothing is kept", null, null, false],
    ["of the same volume", "a", "a", true],
    ["of another volume", "a", "b", false],
    ["of a runner that keeps nothing", "", "a", false],
    ["where nothing is kept", "a", null, false],
  ])("lets a session %s be resumed or not", (_, ofSession, ofRun, expected) => {
    expect(mayResume({ volume: ofSession as VolumeId | null }, ofRun as VolumeId | null)).toBe(expected);
  });
});
