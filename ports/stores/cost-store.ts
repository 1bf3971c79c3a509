import type * as Effect from "effect/Effect";
import type { CostEvent } from "../../core/costs/cost-event.ts";

export interface CostStore {
  insert(event: CostEvent): Effect.Effect<void>;
}
