import type { Instant } from "../core/shared/instant.ts";

export interface Clock {
  now(): Instant;
}
