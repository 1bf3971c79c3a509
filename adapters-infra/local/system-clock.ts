import { toInstant } from "../../core/shared/instant.ts";
import type { Clock } from "../../ports/clock.ts";

export const systemClock: Clock = { now: () => toInstant(new Date()) };
