import type { Instant } from "../core/shared/instant.ts";

/** What time it is: every instant that is decided upon or stored comes from here. */
export interface Clock {
  now(): Instant;
}
