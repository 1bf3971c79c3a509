import { ContainerModule } from "inversify";
import { bindBackup } from "./backup.ts";
import type { Foundations } from "./foundations.ts";
import { bindGit } from "./git.ts";
import { bindLocal } from "./local.ts";
import { bindMachine } from "./machine.ts";
import { bindMcp } from "./mcp.ts";
import { bindNoticeChannels } from "./notice-channels.ts";
import { bindPlugins } from "./plugins.ts";
import { bindPostgres } from "./postgres.ts";
import { bindSecretProviders } from "./secret-providers.ts";
import { T } from "./tokens.ts";

/** Binds every port to its adapter, technology by technology. */
export const infrastructure = (opened: Foundations) =>
  new ContainerModule(({ bind }) => {
    bind(T.config).toConstantValue(opened.config);
    bind(T.log).toConstantValue(opened.log);
    bind(T.clock).toConstantValue(opened.clock);
    bindPostgres(bind, opened);
    bindLocal(bind, opened);
    bindNoticeChannels(bind);
    bindSecretProviders(bind, opened);
    bindBackup(bind, opened);
    bindGit(bind, opened);
    const machine = bindMachine(bind, opened);
    const mark = bindPlugins(bind, opened, machine);
    bindMcp(bind, mark);
  });
