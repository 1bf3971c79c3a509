import { ContainerModule } from "inversify";
import { access } from "../../core/access/index.ts";
import { agents } from "../../core/agents/index.ts";
import { approvals } from "../../core/approvals/index.ts";
import { assets } from "../../core/assets/index.ts";
import { companies } from "../../core/companies/index.ts";
import { costs } from "../../core/costs/index.ts";
import { goals } from "../../core/goals/index.ts";
import { issues } from "../../core/issues/index.ts";
import { labels } from "../../core/labels/index.ts";
import { projects } from "../../core/projects/index.ts";
import { routines } from "../../core/routines/index.ts";
import { runs } from "../../core/runs/index.ts";
import { secrets } from "../../core/secrets/index.ts";
import { vaults } from "../../core/vaults/index.ts";
import { T } from "./tokens.ts";

/** One binding per aggregate: its front door, from the ports it stands on. */
export const coreModule = new ContainerModule(({ bind }) => {
  bind(T.access).toResolvedValue(access, [T.transactor, T.clock, T.ids, T.credentials]).inSingletonScope();
  bind(T.agents)
    .toResolvedValue(agents, [
      T.transactor,
      T.clock,
      T.ids,
      T.adapters,
      T.credentials,
      T.adapterBench,
      T.skillShelf,
    ])
    .inSingletonScope();
  bind(T.approvals).toResolvedValue(approvals, [T.transactor, T.clock, T.ids, T.adapters]).inSingletonScope();
  bind(T.assets)
    .toResolvedValue(assets, [T.transactor, T.clock, T.ids, T.blobs, T.svgInspector])
    .inSingletonScope();
  bind(T.companies).toResolvedValue(companies, [T.transactor, T.clock, T.ids]).inSingletonScope();
  bind(T.costs).toResolvedValue(costs, [T.transactor, T.clock, T.ids]).inSingletonScope();
  bind(T.goals).toResolvedValue(goals, [T.transactor, T.clock]).inSingletonScope();
  bind(T.issues).toResolvedValue(issues, [T.transactor, T.clock, T.ids]).inSingletonScope();
  bind(T.labels).toResolvedValue(labels, [T.transactor, T.clock]).inSingletonScope();
  bind(T.projects).toResolvedValue(projects, [T.transactor, T.clock]).inSingletonScope();
  bind(T.routines)
    .toResolvedValue(routines, [T.transactor, T.clock, T.ids, T.calendar, T.cipher, T.webhookSigning])
    .inSingletonScope();
  bind(T.runs).toResolvedValue(runs, [T.transactor, T.clock, T.ids]).inSingletonScope();
  bind(T.secrets)
    .toResolvedValue(secrets, [T.transactor, T.clock, T.ids, T.secretProviders, T.masterKeys])
    .inSingletonScope();
  bind(T.vaults).toResolvedValue(vaults, [T.transactor, T.clock, T.secretProviders]).inSingletonScope();
  bind(T.app)
    .toResolvedValue(
      (
        access,
        agents,
        approvals,
        assets,
        companies,
        costs,
        goals,
        issues,
        labels,
        projects,
        routines,
        runs,
        secrets,
        vaults,
        views,
        runLogs,
        adapters,
        adapterBench,
        adapterPackages,
        uiParsers,
        credentials,
        idempotency,
        clock,
        ids,
        engine,
      ) => ({
        access,
        agents,
        approvals,
        assets,
        companies,
        costs,
        goals,
        issues,
        labels,
        projects,
        routines,
        runs,
        secrets,
        vaults,
        views,
        runLogs,
        adapters,
        adapterBench,
        adapterPackages,
        uiParsers,
        credentials,
        idempotency,
        clock,
        ids,
        engine,
      }),
      [
        T.access,
        T.agents,
        T.approvals,
        T.assets,
        T.companies,
        T.costs,
        T.goals,
        T.issues,
        T.labels,
        T.projects,
        T.routines,
        T.runs,
        T.secrets,
        T.vaults,
        T.views,
        T.runLogs,
        T.adapters,
        T.adapterBench,
        T.adapterPackages,
        T.uiParsers,
        T.credentials,
        T.idempotency,
        T.clock,
        T.ids,
        T.engine,
      ],
    )
    .inSingletonScope();
});
