import * as Effect from "effect/Effect";
import { RepositoryUnusable } from "../../model/repositories/repository.ts";
import type { Mask } from "../../secrets/mask-for-agents.ts";

/** Hides secrets of agents in what git or a host reports of their work: both name branches and files. */
export const withoutSecrets = <E>(
  mask: Effect.Effect<Mask>,
  failure: E,
): Effect.Effect<E | RepositoryUnusable> =>
  failure instanceof RepositoryUnusable
    ? Effect.map(
        mask,
        (masked) =>
          new RepositoryUnusable(failure.details, masked(failure.message, "The host or git rejected it.")),
      )
    : Effect.succeed(failure);
