import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { ServiceFacts } from "../model/agents/situation-facts.ts";
import type { Caps } from "../model/runs/gate.ts";
import type { Instant } from "../model/shared/instant.ts";
import { startObstacle } from "./start-obstacle.ts";

/** The facts that this service knows about an agent whose queued run is judged. */
export const serviceFacts =
  (adapters: AdapterRegistry, runners: Runners, caps: Caps) =>
  (of: Parameters<ReturnType<typeof startObstacle>>[0], at: Instant): ServiceFacts => {
    const obstacle = startObstacle(adapters, runners)(of, at);
    return {
      caps,
      unavailable: obstacle?.sentence ?? null,
      isElsewhere: obstacle?.kind === "host",
      isDiskFull: obstacle?.kind === "disk",
    };
  };
