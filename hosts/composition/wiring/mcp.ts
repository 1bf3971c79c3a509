import { mcpProbe } from "../../../adapters-infra/mcp/mcp-probe.ts";
import { companyTurns } from "../../../adapters-infra/plugins/company-turns.ts";
import type { Bind } from "./foundations.ts";
import { companyRunner } from "./plugins.ts";
import { T } from "./tokens.ts";

export const bindMcp = (bind: Bind, mark: () => string): void => {
  bind(T.mcpProbe).toResolvedValue(
    (runners, views, clock) =>
      mcpProbe(runners, { mark, sequentially: companyTurns(), companyRunner: companyRunner(views, clock) }),
    [T.runners, T.views, T.clock],
  );
};
