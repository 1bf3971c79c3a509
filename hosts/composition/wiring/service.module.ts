import { hostname } from "node:os";
import * as Effect from "effect/Effect";
import { ContainerModule, type ResolutionContext } from "inversify";
import { eventHub } from "../../../adapters-infra/live-events/event-hub.ts";
import { uuidIds } from "../../../adapters-infra/local/uuid-ids.ts";
import { metrics } from "../../../adapters-infra/prometheus/metrics.ts";
import type { Backups } from "../../../core/backups/index.ts";
import { leaseTimes, outlivesSec } from "../../../core/model/runs/lease.ts";
import { captureWork } from "../../../core/runs/capture-work.ts";
import { conductRun } from "../../../core/runs/conduct-run.ts";
import { continueRun } from "../../../core/runs/continue-run.ts";
import type { Conduct } from "../../../core/runs/run-supervision.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Views } from "../../../ports/views.ts";
import { outageIn } from "../../api/endpoint/outages.ts";
import { type Background, background } from "../jobs/background.ts";
import { lastRound } from "../jobs/last-round.ts";
import { openQuestions } from "../jobs/open-questions.ts";
import { openRunInbox } from "../jobs/open-run-inbox.ts";
import type { Replacement } from "../replacement.ts";
import { serviceAddress } from "../service-address.ts";
import { type Describe, serviceStatus } from "../service-status.ts";
import { T } from "./tokens.ts";
import { tracedRest, tracedRun } from "./trace-run.ts";

/** Binds the parts of one service process: its status, its address and its background work. */
export const serviceModule = (describe: Describe, replaced: Replacement) =>
  new ContainerModule(({ bind }) => {
    bind(T.replacement).toConstantValue(replaced);
    bind(T.describe).toConstantValue(describe);
    bind(T.address).toResolvedValue(
      ({ publicUrl, agentUrl }) => serviceAddress(publicUrl, agentUrl),
      [T.config],
    );
    bind(T.lastRound).toConstantValue(lastRound());
    bind(T.metrics).toResolvedValue(
      (views, backups, clock) => metrics(gaugeReadings(views, backups, clock)),
      [T.views, T.backups, T.clock],
    );
    bind(T.eventHub).toResolvedValue((views, blobs) => eventHub(views.stream, blobs), [T.views, T.blobs]);
    bind(T.service).toDynamicValue(({ get }) =>
      serviceStatus({
        config: get(T.config),
        separation: get(T.separation),
        describe: get(T.describe),
        clock: get(T.clock),
        address: get(T.address),
        lastRound: get(T.lastRound),
        metrics: get(T.metrics),
        processes: get(T.processes),
        views: get(T.views),
        hub: get(T.eventHub),
        outages: get(T.outages),
      }),
    );
    bind(T.runInbox).toResolvedValue(({ runs }) => openRunInbox(runs), [T.views]);
    bind(T.openQuestions).toResolvedValue(({ thread }) => openQuestions(thread), [T.views]);
    bind(T.conduct).toDynamicValue(({ get }) => conductOf(get));
    bind(T.background).toDynamicValue(({ get }) => backgroundOf(get));
  });

const gaugeReadings = ({ operations }: Views, backups: Backups, clock: Clock) =>
  Effect.suspend(() => {
    const at = clock.now();
    return Effect.all({ at: Effect.succeed(at), operations: operations.now(at), backups: backups.show() });
  });

type Get = ResolutionContext["get"];

const conductOf = (get: Get): Conduct => {
  const log = get(T.log);
  return {
    span: get(T.telemetry)?.span,
    runs: get(T.runs),
    views: get(T.views),
    agentRunner: get(T.agentRunner),
    runLogs: get(T.runLogs),
    credentials: get(T.credentials),
    secrets: get(T.secrets),
    runners: get(T.runners),
    handover: get(T.handover),
    catalogue: get(T.skillCatalogue),
    issueWorkspaces: get(T.issueWorkspaces),
    answers: get(T.openQuestions),
    inbox: get(T.runInbox),
    apiUrl: get(T.address).ofAgents,
    onFailure: (what, defect) => log.error({ defect }, what),
  };
};

/** Gives the jobs of this process what they work with. */
const backgroundOf = (get: Get): Background => {
  const { role, caps, leaseSec, hostTermSec, retention } = get(T.config);
  const processes = get(T.processes);
  const handover = get(T.handover);
  const runners = get(T.runners);
  const status = get(T.service);
  const log = get(T.log);
  const telemetry = get(T.telemetry);
  const [conduct, rest] = [conductRun(get(T.conduct)), continueRun(get(T.conduct))];
  return background({
    service: {
      id: uuidIds.newId<"service">(),
      host: processes.host,
      pid: processes.service.pid,
      processStartedAt: processes.service.startedAt,
      scopes: [...new Set(runners.all.map((runner) => runner.processes.scope))],
      role,
      startedAt: status.startedAt,
      get handoverFolders() {
        return handover?.folders() ?? [];
      },
      handoverSec: handover === null ? 0 : outlivesSec(handover.sec),
    },
    access: get(T.access),
    volumeHolders: get(T.volumeHolders),
    volume: { id: get(T.volume), host: hostname(), termSec: hostTermSec },
    lease: leaseTimes(leaseSec),
    lastRound: get(T.lastRound),
    companies: get(T.companies),
    backups: get(T.backups),
    costs: get(T.costs),
    events: get(T.events),
    notices: get(T.notices),
    issues: get(T.issues),
    repositories: get(T.repositories),
    issueWorkspaces: get(T.issueWorkspaces),
    routines: get(T.routines),
    runs: get(T.runs),
    views: get(T.views),
    conduct: telemetry === null ? conduct : tracedRun(telemetry, get(T.views).runs, conduct),
    captureWorkOf: (run) =>
      captureWork(get(T.conduct))(run, { write: () => Effect.void, masked: (text) => text }),
    questions: get(T.openQuestions),
    inbox: get(T.runInbox),
    continueRun: telemetry === null ? rest : tracedRest(telemetry, get(T.views).runs, rest),
    isReplaced: get(T.replacement).isUnderWay,
    adapters: get(T.adapters),
    processes,
    handover,
    runners,
    signals: get(T.signals),
    idempotency: get(T.idempotency),
    assets: get(T.assets),
    clock: get(T.clock),
    caps,
    retention,
    onFailure: (what, cause) => {
      const outage = outageIn(cause);
      if (outage !== null) status.recordOutage(outage);
      log.error({ cause: String(cause) }, `failure while ${what}`);
    },
  });
};
