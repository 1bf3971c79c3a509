import * as Effect from "effect/Effect";
import { transactAsSystem } from "../../access/unit-of-work.ts";
import { nextPoll, type PullRequest } from "../../model/repositories/pull-request.ts";
import { addSeconds } from "../../model/shared/instant.ts";
import { carryPullRequest } from "./carry-pull-request.ts";
import type { PullRequestPorts } from "./pull-request-ports.ts";

const perRound = 20;
/** After that another service takes one that this one did not end with. */
const turnSec = 300;
const atOnce = 4;

/** Polls the open pull requests whose time has come. One whose host fails says so, and is polled less often. */
export const pollPullRequests = (parts: PullRequestPorts) => {
  const { transactor, clock } = parts;
  const carry = carryPullRequest(parts);

  const recordProblem = (pull: PullRequest, problem: string) =>
    transactAsSystem(parts, "repositories.pollPullRequests", function* (unit) {
      const now = yield* unit.pullRequests.lock(pull.id);
      const { at } = unit;
      const isNew = now?.problem !== problem;
      if (now !== null)
        yield* unit.pullRequests.save({
          ...now,
          problem,
          changedAt: isNew ? at : now.changedAt,
          polledAt: at,
          pollAt: nextPoll(isNew ? at : now.changedAt, at),
        });
    });

  return () =>
    Effect.gen(function* () {
      const at = clock.now();
      const due = yield* transactor.transact(({ pullRequests }) =>
        pullRequests.takeDue({ at, until: addSeconds(at, turnSec) }, perRound),
      );
      yield* Effect.forEach(
        due,
        (pull) => carry(pull).pipe(Effect.catch(({ message }) => recordProblem(pull, message))),
        { concurrency: atOnce, discard: true },
      );
    });
};
