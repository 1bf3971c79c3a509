import { createHash } from "node:crypto";
import * as Effect from "effect/Effect";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Caller } from "../../core/model/access/caller.ts";
import { type Refusal, refusal } from "../../core/model/shared/failure.ts";
import { clientOf } from "./client-of.ts";

export class TooManyGuesses extends refusal(
  "too_many_guesses",
  "too_many",
  "Too many tokens or links from this address were not valid. Wait as long as Retry-After says.",
) {}

/** Wrong credentials from one address in a minute; until the minute is over, no further one is looked up. */
export const mostGuesses = 60;

const windowSec = 60;

/** Credentials that are remembered as valid. */
const mostKnown = 10_000;

/** The refusals of a credential that does not exist or is over. The token of an ended run was not guessed. */
const wrong: ReadonlySet<string> = new Set([
  "unauthenticated",
  "sign_in_code_not_valid",
  "sign_in_code_used",
  "sign_in_answer_not_valid",
  "passkey_not_valid",
  "invalid_grant",
  "email_confirmation_not_valid",
]);

const keyOf = (credential: string): string => createHash("sha256").update(credential).digest("base64");

/**
 * Limits wrong tokens, cookies and links of an address. A token or cookie that was valid before passes all the same, so
 * that others at the address of a person do not lock that person out. Loopback has no limit, because agents and proxies
 * of the machine share it. One per web server.
 */
export class Guesses {
  readonly #rate = new RateLimiterMemory({ points: mostGuesses, duration: windowSec });
  readonly #known = new Set<string>();

  /** Identifies a caller by a token or cookie; null: the request has none. */
  identify<E extends Refusal>(
    address: string | null,
    credential: string | null,
    identify: Effect.Effect<Caller, E>,
  ): Effect.Effect<Caller, E | TooManyGuesses> {
    const client = address === null || credential === null ? null : clientOf(address);
    if (client === null) return identify;
    const key = keyOf(credential!);
    const identified = this.#counted(client, identify).pipe(
      Effect.tap((caller) =>
        caller.kind === "anyone" ? this.#count(client) : Effect.sync(() => this.#remember(key)),
      ),
    );
    return this.#known.has(key) ? identified : Effect.andThen(this.#admit(client), identified);
  }

  /** Exchanges a credential for the next of its owner, which `nextOf` takes from the result. */
  tryCredential<A, E extends Refusal>(
    address: string | null,
    credential: string,
    work: Effect.Effect<A, E>,
    nextOf: (made: A) => string,
  ): Effect.Effect<A, E | TooManyGuesses> {
    const client = address === null ? null : clientOf(address);
    if (client === null) return work;
    const key = keyOf(credential);
    const done = this.#counted(client, work).pipe(
      Effect.tap((made) => Effect.sync(() => this.#remember(keyOf(nextOf(made))))),
    );
    return this.#known.has(key) ? done : Effect.andThen(this.#admit(client), done);
  }

  /** Does work that depends on a link, which nobody has used before. */
  tryLink<A, E extends Refusal>(
    address: string | null,
    work: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | TooManyGuesses> {
    const client = address === null ? null : clientOf(address);
    return client === null ? work : Effect.andThen(this.#admit(client), this.#counted(client, work));
  }

  #admit(client: string): Effect.Effect<void, TooManyGuesses> {
    return Effect.flatMap(
      Effect.promise(() => this.#rate.get(client)),
      (spent) =>
        spent === null || spent.consumedPoints < mostGuesses
          ? Effect.void
          : Effect.fail(
              new TooManyGuesses({ retryAfterSec: Math.max(1, Math.ceil(spent.msBeforeNext / 1_000)) }),
            ),
    );
  }

  #counted<A, E extends Refusal>(client: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.tapError(work, ({ code }) => (wrong.has(code) ? this.#count(client) : Effect.void));
  }

  #count(client: string): Effect.Effect<unknown> {
    return Effect.promise(() => this.#rate.penalty(client));
  }

  #remember(key: string): void {
    // The oldest goes first.
    this.#known.delete(key);
    this.#known.add(key);
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.values().next().value!);
  }
}
