import type { Instant } from "../core/model/shared/instant.ts";

/** Provides the current time: the source of every instant that is decided upon or stored. */
export interface Clock {
  now(): Instant;
}
