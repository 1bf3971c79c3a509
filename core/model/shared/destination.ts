import * as Result from "effect/Result";
import { ValidationFailed } from "./failure.ts";

const originOf = (address: string | null): string | null =>
  address === null || !URL.canParse(address) ? null : new URL(address).origin;

/** Whether two addresses differ in scheme, host or port: a request could then reach another machine. */
export const isElsewhere = (before: string | null, after: string | null): boolean =>
  originOf(before) !== originOf(after);

/**
 * Refuses a change that would send a stored secret to another host. Naming the secret in the same request is what permits it
 * for that host.
 */
export const secretNamedAgain = (
  path: readonly string[],
  { isMoved, isNamed }: { readonly isMoved: boolean; readonly isNamed: boolean },
): Result.Result<void, ValidationFailed> =>
  !isMoved || isNamed
    ? Result.void
    : Result.fail(
        new ValidationFailed([
          {
            path,
            code: "required",
            message: "must be sent again, because the new URL would send the stored secret to another host",
          },
        ]),
      );
