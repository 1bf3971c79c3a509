import { join } from "node:path";
import * as Effect from "effect/Effect";
import { adapterFolder } from "../../../adapters-infra/plugins/adapter-folder.ts";
import { adapterPackages } from "../../../adapters-infra/plugins/adapter-packages.ts";
import { adapterProbe } from "../../../adapters-infra/plugins/adapter-probe.ts";
import { agentRunner } from "../../../adapters-infra/plugins/agent-runner.ts";
import { hostMarks } from "../../../adapters-infra/plugins/host-marks.ts";
import { builtinPlugins, pluginLoader } from "../../../adapters-infra/plugins/plugin-loader.ts";
import { uiParsers } from "../../../adapters-infra/plugins/ui-parsers.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Views } from "../../../ports/views.ts";
import type { Bind, Foundations } from "./foundations.ts";
import type { Machine } from "./machine.ts";
import { T } from "./tokens.ts";

/** Binds the agent adapters, built-in and installed. Returns what marks programs that belong to no run. */
export const bindPlugins = (
  bind: Bind,
  { config, clock, log, unseenSignIns, detach }: Foundations,
  { local, users }: Machine,
): (() => string) => {
  const installed = adapterFolder(
    join(config.dataDir, "adapters"),
    users.packages === null ? {} : { readers: users.packages },
  );
  const { mark, endOrphans } = hostMarks(local.processes);
  const hosts = { ...local, mark };
  const sweep = () => installed.sweep(adapters.inUse());
  const adapters = pluginLoader({
    plugins: async () => [...(await builtinPlugins()), ...(await installed.plugins())],
    hosts,
    clock,
    clearAway: () => endOrphans().then(sweep),
    onUnused: () => void sweep().catch((error) => log.warn({ error: String(error) }, "adapter folder")),
    onProblem: ({ directory, level, message }) => log[level]({ directory }, `adapter package: ${message}`),
  });
  bind(T.adapters).toConstantValue(adapters);
  bind(T.adapterPackages).toConstantValue(adapterPackages(adapters, installed, { ...hosts, detach }));
  bind(T.adapterProbe).toResolvedValue(
    (runners, views) =>
      adapterProbe(runners, local, { mark, unseenSignIns, companyRunner: companyRunner(views, clock) }),
    [T.runners, T.views],
  );
  bind(T.uiParsers).toConstantValue(
    uiParsers({ detach, ...(users.packages === null ? {} : { user: users.packages }) }),
  );
  bind(T.agentRunner).toResolvedValue((adapters) => agentRunner(adapters, local), [T.adapters]);
  return mark;
};

/** The runner that a company names. */
export const companyRunner = (views: Views, clock: Clock) => (companyId: CompanyId) =>
  Effect.map(Effect.orDie(views.companies.get(companyId, clock.now())), ({ runner }) => runner);
